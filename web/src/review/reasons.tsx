/** The fields for the reasons of a decision, which the author concerned receives. */
import type { JSX } from 'preact';
import { type Statement, valuesOf } from '../data/client';
import type { Fault } from '../data/fault';
import { messageAt } from '../data/faultText';
import { limit } from '../data/site';
import { Select, TextArea, TextField } from '../elements/field';
import { t } from '../i18n';
import '../account/words';

const GROUNDS = valuesOf<Statement['ground']>({ terms: true, law: true });

/** As they are typed. */
export interface Reasons {
  ground: Statement['ground'];
  reference: string;
  explanation: string;
  days: string;
}

export const NO_REASONS: Reasons = { ground: 'terms', reference: '', explanation: '', days: '' };

/** `days` is the length of a suspension; without it a moderator has to end it. */
export function toStatement({ days, ...reasons }: Reasons, suspends: boolean): Statement {
  return { ...reasons, ...(suspends && days ? { days: Number(days) } : {}) };
}

export function ReasonFields({
  reasons,
  onChange,
  suspends,
  fault,
}: {
  reasons: Reasons;
  onChange: (reasons: Reasons) => void;
  /** Whether the decision suspends an account; only then there is a number of days. */
  suspends: boolean;
  fault: Fault | null;
}): JSX.Element {
  const set = (change: Partial<Reasons>): void => onChange({ ...reasons, ...change });
  return (
    <>
      <Select
        label={t('decide.ground')}
        value={reasons.ground}
        onValue={(value) => set({ ground: GROUNDS.find((each) => each === value) ?? 'terms' })}
        choices={GROUNDS.map((value) => ({ value, label: t(`ground.${value}`) }))}
        error={messageAt(fault, '/ground')}
      />
      <TextField
        label={t('decide.reference')}
        value={reasons.reference}
        onValue={(reference) => set({ reference })}
        optional
        error={messageAt(fault, '/reference')}
      />
      <TextArea
        label={t('decide.explanation')}
        hint={t('decide.explanationHint')}
        rows={4}
        maxLength={limit('statementMaxLength', 4000)}
        value={reasons.explanation}
        onValue={(explanation) => set({ explanation })}
        error={messageAt(fault, '/explanation')}
      />
      {suspends && (
        <TextField
          label={t('decide.days')}
          hint={t('decide.daysHint')}
          value={reasons.days}
          onValue={(days) => set({ days: days.replace(/\D/g, '') })}
          inputMode="numeric"
          optional
          error={messageAt(fault, '/days')}
        />
      )}
    </>
  );
}
