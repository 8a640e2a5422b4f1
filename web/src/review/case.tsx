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
import { t } from '../i18n';
import { formatDate, formatMoment } from '../i18n/format';
import { DecisionForm } from './decide';
import { DecisionText } from './decision';
import { ForModerators } from './page';

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
  if (error && !data) return <FaultNotice fault={toFault(error)} />;
  if (!data) return <p class="loading">{t('loading')}</p>;
  return <Shown one={data} />;
}

function Shown({ one }: { one: Case }): JSX.Element {
  return (
    <>
      <p>
        <span class="badge">{t(`case.${one.status}`)}</span>{' '}
        <a href={`/a/${one.ad}`}>{t(one.kind === 'comment' ? 'review.toAdOfComment' : 'review.toAd')}</a>
      </p>
      {one.appeal !== null && (
        <section aria-labelledby="appeal">
          <h2 id="appeal">{t('review.appeal')}</h2>
          <p class="as-written">{one.appeal}</p>
        </section>
      )}
      <div class="case-things">
        <Thing id="then" title={t('review.then')} thing={one.snapshot} />
        {one.current ? (
          <Thing id="now" title={t('review.now')} thing={one.current} />
        ) : (
          <section aria-labelledby="now">
            <h2 id="now">{t('review.now')}</h2>
            <p class="faint">{t('review.gone')}</p>
          </section>
        )}
      </div>
      <Reports one={one} />
      <Author one={one} />
      <Decided one={one} />
      {one.status !== 'decided' && <DecisionForm one={one} />}
    </>
  );
}

function Thing({ id, title, thing }: { id: string; title: string; thing: Snapshot }): JSX.Element {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {thing.title && <p>{thing.title}</p>}
      {thing.messages.map(({ id: message, by, text }) => (
        <p key={message} class="as-written faint">
          {t(`party.${by}`)}: {text}
        </p>
      ))}
      <p class="as-written">{thing.text ?? thing.description}</p>
      <div class="case-pictures">
        {thing.images.map(({ image }) => (
          <img key={image} src={image} alt="" width="160" height="120" loading="lazy" />
        ))}
      </div>
    </section>
  );
}

function Reports({ one }: { one: Case }): JSX.Element {
  return (
    <section aria-labelledby="reports">
      <h2 id="reports">{t('review.reports', { count: one.reports.length })}</h2>
      <ul class="decisions">
        {one.reports.map((report) => (
          <li key={report.id}>
            <p>
              <strong>{t(`reason.${report.reason}`)}</strong>{' '}
              <span class="faint">
                {formatMoment(report.at)} · #{report.reporter ?? '–'}
              </span>{' '}
              {!report.counts && <span class="badge">{t('review.doesNotCount')}</span>}
            </p>
            {report.text && <p class="as-written">{report.text}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Author({ one }: { one: Case }): JSX.Element {
  const { author } = one;
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
      <ul class="decisions">
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
