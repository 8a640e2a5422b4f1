import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { type Case, client, type MakeDecision } from '../data/client';
import { toFault } from '../data/fault';
import { forgetAd, forgetCase } from '../data/queries';
import { Select } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { t } from '../i18n';
import { openCase, useKeys } from './keys';
import { isComplete, NO_REASONS, ReasonFields, type Reasons, toStatement } from './reasons';

type DecisionAction = MakeDecision['action'];

const ACTIONS: Record<Case['kind'], readonly DecisionAction[]> = {
  ad: ['dismiss', 'suspendAd', 'removeAd', 'suspendAccount'],
  comment: ['dismiss', 'removeComment', 'suspendAccount'],
  message: ['dismiss', 'removeMessage', 'suspendAccount'],
  rating: ['dismiss', 'removeRating', 'suspendAccount'],
};

/** A digit means the same everywhere. */
const DIGITS: Record<DecisionAction, string> = {
  dismiss: '1',
  suspendAd: '2',
  removeComment: '2',
  removeMessage: '2',
  removeRating: '2',
  removeAd: '3',
  suspendAccount: '4',
};

/** Nobody has reported it: it waits because the same text went to many sellers. */
export const isHeld = ({ kind, reports }: Case): boolean => kind === 'message' && reports.length === 0;

/** The account of a rating may be gone. */
const actionsOf = ({ kind, author }: Case): readonly DecisionAction[] =>
  ACTIONS[kind].filter((action) => author || action !== 'suspendAccount');

export function DecisionForm({
  one,
  next,
}: {
  one: Case;
  /** The case to go on with after the decision. */
  next: number | undefined;
}): JSX.Element {
  const section = useRef<HTMLElement>(null);
  const fields = useFields<Reasons & { action: DecisionAction | '' }>(
    { action: '', ...NO_REASONS },
    async ({ action, ...reasons }, idempotencyKey) => {
      if (action === '') return;
      try {
        const statement = restricts ? toStatement(reasons, suspends) : {};
        await client.decideCase(one.id, { action, ...statement }, { ifMatch: one, idempotencyKey });
        announce('done.decision');
        openCase(next);
      } catch (error) {
        const { slug } = toFault(error);
        // The case has changed. Its present state is shown, and this form stays.
        if (slug === 'precondition-failed') forgetCase(one.id);
        if (slug !== 'case-decided') throw error;
        // Another moderator was faster. That decision is shown instead of this form.
        announce('problem.case-decided');
      }
      forgetCase(one.id);
      forgetAd(one.ad);
    },
    { repeatable: true },
  );
  const { action } = fields.values;
  const suspends = action === 'suspendAccount';
  // A dismissal restricts nothing, so it needs no reasons.
  const restricts = action !== '' && action !== 'dismiss';
  const ready = action !== '' && (!restricts || isComplete(fields.values, suspends));
  const choose = (value: DecisionAction | undefined): void => {
    if (value === undefined) return;
    fields.change({ action: value });
    // When the fields for the reasons are there, if the decision needs them.
    setTimeout(() => {
      const field = section.current?.querySelector<HTMLElement>('textarea');
      (field ?? section.current?.querySelector<HTMLElement>('[type=submit]'))?.focus();
    });
  };
  useKeys(Object.fromEntries(actionsOf(one).map((value) => [DIGITS[value], () => choose(value)])));
  return (
    <section
      aria-labelledby="decide"
      ref={section}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ready && !fields.busy)
          void fields.run();
      }}
    >
      <h2 id="decide">{t('decide.title')}</h2>
      <ActionForm action={fields} send={t('decide.send')} ready={ready}>
        <Select
          label={t('decide.action')}
          {...fields.tie('action')}
          choices={[
            { value: '', label: t('form.choose') },
            ...actionsOf(one).map((value) => ({
              value,
              label: t(value === 'dismiss' && isHeld(one) ? 'action.release' : `action.${value}`),
            })),
          ]}
        />
        {restricts && <ReasonFields {...fields} suspends={suspends} />}
      </ActionForm>
    </section>
  );
}
