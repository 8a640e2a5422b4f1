import type { JSX } from 'preact';
import { Select } from '../elements/field';
import type { Tie } from '../elements/fields';
import { t } from '../i18n';
import { writeNumber } from '../i18n/numbers';

const CHOICES = [0, 2, 3];

/** How many decimals prices have, each shown by an example. */
export function Decimals({ value, onValue, error }: Tie<number>): JSX.Element {
  return (
    <Select
      label={t('site.decimals')}
      hint={t('site.decimalsHint')}
      value={String(value)}
      onValue={(chosen) => onValue(Number(chosen))}
      choices={CHOICES.map((each) => ({ value: String(each), label: writeNumber(12, each) }))}
      error={error}
    />
  );
}
