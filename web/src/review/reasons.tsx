/** The fields for the reasons of a decision, which the author concerned receives. */
import type { JSX } from 'preact';
import { type Statement, valuesOf } from '../data/client';
import { messageAt } from '../data/faultText';
import { limit } from '../data/site';
import { Select, TextArea, TextField } from '../elements/field';
import { type Fields, tiesOf } from '../elements/fields';
import { t } from '../i18n';
import { readNumber } from '../i18n/numbers';
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

/** The length of a suspension; undefined without one, and null for what is no whole number. */
export function daysIn(text: string): number | null | undefined {
  if (!text.trim()) return undefined;
  const days = readNumber(text, true);
  return Number.isInteger(days) ? days : null;
}

/** Whether a decision has all reasons that it needs. */
export const isComplete = ({ explanation, days }: Reasons, suspends: boolean): boolean =>
  explanation.trim() !== '' && (!suspends || daysIn(days) !== null);

/** Without `days` a moderator has to end the suspension. */
export function toStatement({ days, ...reasons }: Reasons, suspends: boolean): Statement {
  const count = suspends ? daysIn(days) : undefined;
  return { ...reasons, ...(typeof count === 'number' ? { days: count } : {}) };
}

export function ReasonFields({
  values,
  change,
  fault,
  suspends,
}: Pick<Fields<Reasons>, 'values' | 'change' | 'fault'> & {
  /** Whether the decision suspends an account; only then there is a number of days. */
  suspends: boolean;
}): JSX.Element {
  const tie = tiesOf(values, change, (name) =>
    name === 'days' && daysIn(values.days) === null
      ? t('fault.wrong-type.integer')
      : messageAt(fault, `/${name}`),
  );
  return (
    <>
      <Select
        label={t('decide.ground')}
        {...tie('ground')}
        choices={GROUNDS.map((value) => ({ value, label: t(`ground.${value}`) }))}
      />
      <TextField label={t('decide.reference')} {...tie('reference')} optional />
      <TextArea
        label={t('decide.explanation')}
        hint={t('decide.explanationHint')}
        rows={4}
        maxLength={limit('statementMaxLength', 4000)}
        {...tie('explanation')}
      />
      {suspends && (
        <TextField
          label={t('decide.days')}
          hint={t('decide.daysHint')}
          {...tie('days')}
          inputMode="numeric"
          optional
        />
      )}
    </>
  );
}
