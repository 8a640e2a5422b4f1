/** A statement of reasons, for the author concerned and for moderators. */
import type { JSX } from 'preact';
import type { Decision } from '../data/client';
import { t } from '../i18n';
import { formatDate, formatMoment } from '../i18n/format';
import '../account/words';

export function DecisionText({ decision }: { decision: Decision }): JSX.Element {
  const { action, kind, target, excerpt, ground, reference, explanation, until, holds } = decision;
  return (
    <>
      <p>
        <strong>{t(`decided.${action}`)}</strong> <span class="faint">{formatMoment(decision.at)}</span>{' '}
        {!holds && <span class="badge">{t('decision.over')}</span>}
      </p>
      {kind !== 'account' && (
        <p dir="auto">
          {kind === 'ad' ? <a href={`/a/${target}`}>{excerpt ?? `#${target}`}</a> : <q>{excerpt}</q>}
        </p>
      )}
      {ground !== null && (
        <p>
          {t(`ground.${ground}`)}
          {reference && ` (${reference})`}
        </p>
      )}
      {explanation && (
        <p class="as-written" dir="auto">
          {explanation}
        </p>
      )}
      {until !== null && <p class="faint">{t('decision.until', { date: formatDate(until) })}</p>}
    </>
  );
}
