/** After a deal: how each party rates the other, and what everyone reads of a seller. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ReportForm } from '../ad/report';
import { newKey, useAction } from '../data/action';
import { client, type Deal, type Rating } from '../data/client';
import { user } from '../data/session';
import { limit } from '../data/site';
import { forgetTalk } from '../data/unread';
import { Disclosure } from '../elements/disclosure';
import { TextArea } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { nameOf } from './text';

const STARS = [1, 2, 3, 4, 5] as const;

export function Stars({ count }: { count: number }): JSX.Element {
  return (
    <span class="stars" role="img" aria-label={t('rating.stars', { stars: count })}>
      {'★'.repeat(count)}
      {'☆'.repeat(5 - count)}
    </span>
  );
}

/** What both have said so far, and the form to say it. */
export function DealState({ deal }: { deal: Deal }): JSX.Element {
  const { mine, theirs, other, until } = deal;
  const name = nameOf(other);
  const isOver = Date.now() > until;
  return (
    <div class="stack">
      {theirs && (
        <section aria-label={t('deal.theirs', { name })}>
          <h3>{t('deal.theirs', { name })}</h3>
          <OneRating rating={theirs} mayAnswer />
        </section>
      )}
      {mine && (
        <section aria-label={t('deal.mine', { name })}>
          <h3>{t('deal.mine', { name })}</h3>
          <OneRating rating={mine} />
          {!theirs && !isOver && <p class="faint">{t('deal.waits', { date: formatDate(until) })}</p>}
        </section>
      )}
      {!mine && other && !isOver && <RateForm deal={deal} name={name} />}
      {!mine && !theirs && isOver && <p class="faint">{t('deal.over')}</p>}
    </div>
  );
}

function RateForm({ deal, name }: { deal: Deal; name: string }): JSX.Element {
  const [stars, setStars] = useState(0);
  const [text, setText] = useState('');
  const action = useAction(
    async (key: string) => {
      await client.rateDeal(deal.id, { stars, text }, { idempotencyKey: key });
      await forgetTalk();
    },
    { repeatable: true },
  );
  const label = t('deal.rate', { name });
  return (
    <ActionForm
      label={label}
      action={{ ...action, run: () => action.run(newKey()) }}
      send={t('deal.send')}
      ready={stars > 0}
    >
      <fieldset class="rate">
        <legend>{label}</legend>
        {STARS.map((value) => (
          <label key={value} class="check">
            <input
              type="radio"
              name={`stars-${deal.id}`}
              checked={stars === value}
              onChange={() => setStars(value)}
            />
            <span>{t(`deal.star.${value}`)}</span>
          </label>
        ))}
      </fieldset>
      {stars > 0 && (
        <TextArea
          label={t('deal.text')}
          hint={t('deal.rateText')}
          rows={2}
          maxLength={limit('ratingMaxLength', 500)}
          value={text}
          onValue={setText}
          optional
        />
      )}
    </ActionForm>
  );
}

/** Of others, everyone may report it; the one whom it is about may answer. */
export function OneRating({
  rating,
  mayAnswer = false,
  of = '',
}: {
  rating: Rating;
  mayAnswer?: boolean;
  /** Whom it is about. */
  of?: string;
}): JSX.Element {
  const { answer, by, text } = rating;
  return (
    <div class="rating">
      <p>
        <Stars count={rating.stars} />{' '}
        <span class="faint">
          {of && `${nameOf(by)}, ${t(rating.role === 'buyer' ? 'rating.asBuyer' : 'rating.asSeller')} · `}
          {formatDate(rating.at)}
        </span>
      </p>
      {text && (
        <p class="as-written" dir="auto">
          {text}
        </p>
      )}
      {answer && (
        <blockquote>
          {of && <p class="faint">{t('rating.answered', { name: of })}</p>}
          <p class="as-written" dir="auto">
            {answer.text}
          </p>
        </blockquote>
      )}
      {mayAnswer && !answer && (
        <Disclosure label={t('rating.answer')} look="plain">
          {(close) => <AnswerForm id={rating.id} onDone={close} />}
        </Disclosure>
      )}
      {user.value && by?.id !== user.value.id && (
        <Disclosure label={t('report.comment')} look="plain">
          {(close) => <ReportForm report={(given) => client.reportRating(rating.id, given)} onDone={close} />}
        </Disclosure>
      )}
    </div>
  );
}

function AnswerForm({ id, onDone }: { id: number; onDone: () => void }): JSX.Element {
  const fields = useFields({ text: '' }, async (given) => {
    await client.answerRating(id, given);
    onDone();
    await forgetTalk();
  });
  return (
    <ActionForm
      action={fields}
      send={t('rating.sendAnswer')}
      onCancel={onDone}
      ready={fields.values.text.trim() !== ''}
    >
      <TextArea
        label={t('rating.answerText')}
        rows={2}
        maxLength={limit('ratingMaxLength', 500)}
        {...fields.tie('text')}
      />
    </ActionForm>
  );
}
