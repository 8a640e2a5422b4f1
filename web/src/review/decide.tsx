import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { newKey, useAction } from '../data/action';
import { type Case, client, type MakeDecision } from '../data/client';
import { toFault } from '../data/fault';
import { messageAt } from '../data/faultText';
import { forgetAd, forgetCase } from '../data/queries';
import { Select } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { t } from '../i18n';
import { openCase, useKeys } from './keys';
import { NO_REASONS, ReasonFields, toStatement } from './reasons';

type DecisionAction = MakeDecision['action'];

const ACTIONS: Record<Case['kind'], readonly DecisionAction[]> = {
  ad: ['dismiss', 'suspendAd', 'removeAd', 'suspendAccount'],
  comment: ['dismiss', 'removeComment', 'suspendAccount'],
  message: ['dismiss', 'removeMessage', 'suspendAccount'],
};

/** Nobody has reported it: it waits because the same text went to many sellers. */
export const isHeld = ({ kind, reports }: Case): boolean => kind === 'message' && reports.length === 0;

export function DecisionForm({
  one,
  next,
}: {
  one: Case;
  /** The case to go on with after the decision. */
  next: number | undefined;
}): JSX.Element {
  const section = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<DecisionAction | null>(null);
  const [reasons, setReasons] = useState(NO_REASONS);
  const suspends = chosen === 'suspendAccount';
  // A dismissal restricts nothing, so it needs no reasons.
  const restricts = chosen !== null && chosen !== 'dismiss';
  const action = useAction(
    async (idempotencyKey: string) => {
      if (chosen === null) return;
      try {
        const statement = restricts ? toStatement(reasons, suspends) : {};
        await client.decideCase(one.id, { action: chosen, ...statement }, { ifMatch: one, idempotencyKey });
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
  const ready = chosen !== null && (!restricts || reasons.explanation.trim() !== '');
  const choose = (value: DecisionAction | undefined): void => {
    if (value === undefined) return;
    setChosen(value);
    // When the fields for the reasons are there, if the decision needs them.
    setTimeout(() => {
      const field = section.current?.querySelector<HTMLElement>('textarea');
      (field ?? section.current?.querySelector<HTMLElement>('[type=submit]'))?.focus();
    });
  };
  useKeys(
    Object.fromEntries(ACTIONS[one.kind].map((value, index) => [String(index + 1), () => choose(value)])),
  );
  return (
    <section
      aria-labelledby="decide"
      ref={section}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ready && !action.busy)
          void action.run(newKey());
      }}
    >
      <h2 id="decide">{t('decide.title')}</h2>
      <ActionForm
        action={action}
        send={t('decide.send')}
        onSend={() => void action.run(newKey())}
        ready={ready}
      >
        <Select
          label={t('decide.action')}
          value={chosen ?? ''}
          onValue={(value) => setChosen(ACTIONS[one.kind].find((each) => each === value) ?? null)}
          choices={[
            { value: '', label: t('form.choose') },
            ...ACTIONS[one.kind].map((value) => ({
              value,
              label: t(value === 'dismiss' && isHeld(one) ? 'action.release' : `action.${value}`),
            })),
          ]}
          error={messageAt(action.fault, '/action')}
        />
        {restricts && <ReasonFields {...{ reasons, suspends }} onChange={setReasons} fault={action.fault} />}
      </ActionForm>
    </section>
  );
}
