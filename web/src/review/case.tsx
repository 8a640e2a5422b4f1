/** One case: the thing as reported and as it is now, the reports, its author, the decisions. */
import type { JSX } from 'preact';
import { NotFoundPage } from '../app/notFound';
import type { PageProps } from '../app/router';
import { newKey, useAction } from '../data/action';
import { type Case, client, type MadeDecision, type Snapshot } from '../data/client';
import { toFault } from '../data/fault';
import { caseQuery, forgetAd, forgetCase } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { announce, FaultNotice } from '../elements/notice';
import { message, t } from '../i18n';
import { formatDate, formatMoment } from '../i18n/format';
import { DecisionForm, isHeld } from './decide';
import { DecisionText } from './decision';
import { KeyHelp, openCase, useKeys, useNeighbours } from './keys';
import { ForModerators } from './page';
import { ModeratedPicture } from './picture';
import '../console/words';
import '../account/words';

export function CasePage({ parameters }: PageProps): JSX.Element {
  const id = Number(parameters.id);
  if (!Number.isSafeInteger(id) || id < 1) return <NotFoundPage />;
  return (
    <ForModerators title={t('review.caseTitle', { id: String(id) })}>
      <CaseById id={id} />
    </ForModerators>
  );
}

function CaseById({ id }: { id: number }): JSX.Element {
  const { data, error } = useQuery(caseQuery(id));
  if (error && !data) {
    const fault = toFault(error);
    return (
      <>
        {fault.slug === 'forbidden' ? (
          <p class="notice">{t('review.notYours')}</p>
        ) : (
          <FaultNotice fault={fault} />
        )}
        <p>
          <a href="/review">{t('review.title')}</a>
        </p>
      </>
    );
  }
  if (!data) return <p class="loading">{t('loading')}</p>;
  return <Shown one={data} />;
}

const TO_AD = {
  ad: 'review.toAd',
  comment: 'review.toAdOfComment',
  message: 'review.toAdOfMessage',
  rating: 'review.toAdOfRating',
} as const;

function Shown({ one }: { one: Case }): JSX.Element {
  const { before, after } = useNeighbours(one);
  useKeys({
    j: after === undefined ? undefined : () => openCase(after),
    k: before === undefined ? undefined : () => openCase(before),
  });
  return (
    <>
      <div class="toolbar split">
        <p>
          <span class={one.status === 'appealed' ? 'badge care' : 'badge'}>{t(`case.${one.status}`)}</span>{' '}
          <a href={`/a/${one.ad}`}>{t(TO_AD[one.kind])}</a>
        </p>
        <KeyHelp />
      </div>
      <div class="case">
        <div>
          {one.appeal !== null && (
            <section class="notice" aria-labelledby="appeal">
              <h2 id="appeal">{t('review.appeal')}</h2>
              <p class="as-written" dir="auto">
                {one.appeal}
              </p>
            </section>
          )}
          {isHeld(one) && <p class="notice">{t('review.held')}</p>}
          <div class="case-things">
            <Thing id="then" title={t(isHeld(one) ? 'kind.message' : 'review.then')} thing={one.snapshot} />
            {one.kind !== 'message' && <Now thing={one.current} then={one.snapshot} />}
          </div>
          {!isHeld(one) && <Reports one={one} />}
          <Decided one={one} />
        </div>
        <div class="panel case-side">
          {one.status !== 'decided' && <DecisionForm key={one.id} one={one} next={after ?? before} />}
          {one.author && <Author author={one.author} />}
        </div>
      </div>
    </>
  );
}

/** A message never changes. */
function Now({ thing, then }: { thing: Snapshot | null; then: Snapshot }): JSX.Element {
  const told = (one: Snapshot): string =>
    JSON.stringify([one.title, one.description, one.text, one.price, one.images.map(({ image }) => image)]);
  const isSame = thing !== null && told(thing) === told(then);
  if (thing && !isSame) return <Thing id="now" title={t('review.now')} thing={thing} />;
  return (
    <section aria-labelledby="now">
      <h2 id="now">{t('review.now')}</h2>
      <p class="faint">{t(isSame ? 'review.same' : 'review.gone')}</p>
    </section>
  );
}

function Thing({ id, title, thing }: { id: string; title: string; thing: Snapshot }): JSX.Element {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {thing.title && <p dir="auto">{thing.title}</p>}
      <Before messages={thing.messages} />
      <p class="as-written" dir="auto">
        {thing.stars && `${'★'.repeat(thing.stars)} `}
        {thing.text ?? thing.description}
      </p>
      <div class="row">
        {thing.images.map(({ image }) => (
          <ModeratedPicture key={image} path={image} width={160} height={120} />
        ))}
      </div>
    </section>
  );
}

/** What was written before the reported message. */
function Before({ messages }: Pick<Snapshot, 'messages'>): JSX.Element | null {
  if (messages.length === 0) return null;
  return (
    <ol class="list" aria-label={t('review.before')}>
      {messages.map(({ id, by, kind, text, at }) => (
        <li key={id}>
          <p class="faint">
            {t(`party.${by}`)} · {formatMoment(at)}
          </p>
          <p class="as-written" dir="auto">
            {kind === 'text' ? text : message(`review.said.${text || 'offer'}`)}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** How often who has reported was right before. */
const recordOf = ({ decided, upheld }: Case['reports'][number]): string =>
  decided ? t('review.upheld', { count: decided, upheld }) : t('review.firstReport');

function Reports({ one }: { one: Case }): JSX.Element {
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">{t('review.reports', { count: one.reports.length })}</h2>
      <ul class="list">
        {one.reports.map((report) => (
          <li key={report.id}>
            <p>
              <strong>{t(`reason.${report.reason}`)}</strong>{' '}
              <span class="faint">
                {formatMoment(report.at)} · #{report.reporter ?? '–'} · {recordOf(report)}
              </span>{' '}
              {!report.counts && <span class="badge">{t('review.doesNotCount')}</span>}
            </p>
            {report.text && (
              <p class="as-written" dir="auto">
                {report.text}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Author({ author }: { author: NonNullable<Case['author']> }): JSX.Element {
  return (
    <section aria-labelledby="author">
      <h2 id="author">{t('review.author')}</h2>
      <p>
        {author.firstName} <span class="faint">{author.email}</span>{' '}
        <span class="badge">{t(`account.${author.status}`)}</span>
      </p>
      <p class="faint">
        {t('review.since', { date: formatDate(author.createdAt) })} ·{' '}
        {t('results.count', { count: author.ads })} · {t('review.cases', { count: author.cases })}
      </p>
    </section>
  );
}

function Decided({ one }: { one: Case }): JSX.Element | null {
  if (one.decisions.length === 0) return null;
  return (
    <section aria-labelledby="decided">
      <h2 id="decided">{t('review.decisions')}</h2>
      <ul class="list">
        {one.decisions.map((decision) => (
          <li key={decision.id}>
            <DecisionText decision={decision} />
            <Undo decision={decision} one={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Moderators cannot undo their own decisions. */
function Undo({ decision, one }: { decision: MadeDecision; one: Case }): JSX.Element | null {
  const action = useAction(
    async (idempotencyKey: string) => {
      try {
        await client.undoDecision(decision.id, { idempotencyKey });
        announce('done.undo');
      } catch (error) {
        if (toFault(error).slug !== 'decision-ended') throw error;
        announce('problem.decision-ended');
      }
      forgetCase(one.id);
      forgetAd(one.ad);
    },
    { repeatable: true },
  );
  if (!decision.holds || decision.action === 'restore' || decision.action === 'dismiss') return null;
  if (decision.by === user.value?.id) return <p class="faint">{t('review.own')}</p>;
  return (
    <>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <button
        type="button"
        disabled={action.busy || action.limited !== null}
        onClick={() => void action.run(newKey())}
      >
        {t('review.undo')}
      </button>
    </>
  );
}
