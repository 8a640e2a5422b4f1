import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { loginAddress } from '../account/enterFirst';
import { newKey, useAction } from '../data/action';
import { type Comment, client } from '../data/client';
import { errorAt, gone, toFault } from '../data/fault';
import { fieldText } from '../data/faultText';
import { keepText, keptText } from '../data/kept';
import { commentsQuery } from '../data/queries';
import { queryClient, usePages } from '../data/query';
import { user } from '../data/session';
import { has, limit } from '../data/site';
import { TextArea } from '../elements/field';
import { Face } from '../elements/icon';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { ReportButton } from './report';

/** Comments name people, so only those who have logged in read them. */
export function Comments({
  id,
  mine,
}: {
  id: number;
  /** Whether the ad is the reader's: its author may remove comments on it. */
  mine: boolean;
}): JSX.Element | null {
  const kept = keptText(placeOf(id));
  // Guests read no comments, but are told of the own one that they had begun.
  if (!has('comments') || !(user.value || kept)) return null;
  return (
    <section aria-labelledby="comments">
      <h2 id="comments">{t('comments.title')}</h2>
      {user.value ? (
        <Thread {...{ id, mine }} />
      ) : (
        <p>
          <a href={loginAddress()}>{t('comments.login')}</a> {t('enter.keptText')}
        </p>
      )}
    </section>
  );
}

/** Where the text of a comment waits, of a new one or of one that is changed. */
const placeOf = (ad: number, comment?: number): string =>
  comment === undefined ? `comment ${ad}` : `comment ${ad} ${comment}`;

function again(id: number): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['ad', id, 'comments'] });
}

function Thread({ id, mine }: { id: number; mine: boolean }): JSX.Element {
  const result = usePages(commentsQuery(id));
  const comments = result.data?.pages.flatMap((page) => page.results) ?? [];
  return (
    <>
      <NewComment id={id} />
      {result.error && <FaultNotice fault={toFault(result.error)} />}
      {result.data && comments.length === 0 && <p class="faint">{t('comments.none')}</p>}
      <ul class="comments">
        {comments.map((comment) => (
          <OneComment key={comment.pk} {...{ id, mine, comment }} />
        ))}
      </ul>
      {result.hasNextPage && (
        <button
          type="button"
          disabled={result.isFetchingNextPage}
          onClick={() => void result.fetchNextPage()}
        >
          {t('comments.more')}
        </button>
      )}
    </>
  );
}

function NewComment({ id }: { id: number }): JSX.Element {
  const [text, show] = useState(() => keptText(placeOf(id)));
  const setText = (next: string): void => {
    show(next);
    keepText(placeOf(id), next);
  };
  const action = useAction(
    async (idempotencyKey: string) => {
      await client.createComment(id, { text }, { idempotencyKey });
      setText('');
      await again(id);
    },
    { repeatable: true },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void action.run(newKey());
      }}
    >
      <CommentText {...{ text, setText }} fault={action.fault} />
      <FaultNotice fault={action.fault} limited={action.limited} />
      <button type="submit" disabled={action.busy || action.limited !== null || !text.trim()}>
        {t('comments.send')}
      </button>
    </form>
  );
}

function CommentText({
  text,
  setText,
  fault,
}: {
  text: string;
  setText: (text: string) => void;
  fault: ReturnType<typeof toFault> | null;
}): JSX.Element {
  const error = errorAt(fault, '/text');
  return (
    <TextArea
      label={t('comments.label')}
      rows={3}
      maxLength={limit('commentMaxLength', 2000)}
      value={text}
      onValue={setText}
      error={error && fieldText(error)}
    />
  );
}

const focusOn = (element: HTMLElement | null): void => element?.focus();

function OneComment({ id, mine, comment }: { id: number; mine: boolean; comment: Comment }): JSX.Element {
  const place = placeOf(id, comment.pk);
  const [text, show] = useState<string | null>(() => keptText(place) || null);
  const setText = (next: string | null): void => {
    show(next);
    keepText(place, next === comment.text ? '' : (next ?? ''));
  };
  /** Asks first: what is removed does not come back. */
  const [sure, setSure] = useState(false);
  const me = user.value;
  const mayChange = me && (me.id === comment.author || me.role === 'ADMIN');
  const save = useAction(
    async (changed: string) => {
      await client.updateComment(id, comment.pk, { text: changed });
      setText(null);
      await again(id);
    },
    { repeatable: true },
  );
  const remove = useAction(
    async () => {
      await gone(client.deleteComment(id, comment.pk));
      announce('done.comment');
      await again(id);
    },
    { repeatable: true },
  );
  return (
    <li>
      <p class="media">
        <Face image={comment.authorImage} name={comment.authorFirstName || t('seller.unnamed')} size={28} />
        <strong dir="auto">{comment.authorFirstName || t('seller.unnamed')}</strong>{' '}
        <span class="faint">{formatMoment(comment.createdAt)}</span>
      </p>
      {text === null ? (
        <p class="as-written" dir="auto">
          {comment.text}
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save.run(text);
          }}
        >
          <CommentText {...{ text, setText }} fault={save.fault} />
          <div class="buttons">
            <button type="submit" disabled={save.busy}>
              {t('form.save')}
            </button>
            <button type="button" onClick={() => setText(null)}>
              {t('form.cancel')}
            </button>
          </div>
        </form>
      )}
      <FaultNotice fault={save.fault ?? remove.fault} limited={save.limited ?? remove.limited} />
      {me && me.id !== comment.author && <ReportButton ad={id} comment={comment.pk} />}
      {sure && (
        <fieldset class="confirm" tabIndex={-1} ref={focusOn}>
          <legend>{t('comments.sure')}</legend>
          <button type="button" class="danger" disabled={remove.busy} onClick={() => void remove.run()}>
            {t('comments.remove')}
          </button>
          <button type="button" onClick={() => setSure(false)}>
            {t('delete.keep')}
          </button>
        </fieldset>
      )}
      {(mayChange || mine) && text === null && !sure && (
        <div class="buttons">
          {mayChange && (
            <button type="button" class="plain" onClick={() => setText(comment.text)}>
              {t('comments.change')}
            </button>
          )}
          <button type="button" class="plain" onClick={() => setSure(true)}>
            {t('comments.remove')}
          </button>
        </div>
      )}
    </li>
  );
}
