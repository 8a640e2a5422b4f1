/** Prices as people type them: in ads and in offers. */
import { t } from '../i18n';
import { formatMoney } from '../i18n/format';
import { readAmount } from '../i18n/numbers';
import type { FieldFault } from './fault';
import { currency, limit } from './site';

export const fault = (at: string, code: string, values: FieldFault['values'] = {}): FieldFault => ({
  at,
  code,
  detail: '',
  values,
});

export function ofPrice(text: string): FieldFault[] {
  const at = '/price';
  if (!text.trim()) return [fault(at, 'missing')];
  const price = readPrice(text);
  const most = limit('priceMax', 2_147_483_647);
  const whole = 10 ** currency.value.decimals;
  if (price === null) return [fault(at, 'wrong-price')];
  if (price < 0 || price > most) return [fault(at, 'out-of-range', { minimum: 0, maximum: most / whole })];
  if (Number.isInteger(price)) return [];
  return [fault(at, 'cents', { minimum: Math.floor(price) / whole, maximum: Math.ceil(price) / whole })];
}

export const readPrice = (text: string): number | null => readAmount(text, currency.value.decimals);

/** A price as typed; what is no whole number of the smallest unit is returned as it is. */
export function priceValue(text: string): string | number {
  const price = readPrice(text);
  return price !== null && Number.isInteger(price) ? price : text.trim();
}

/** What the service gets, where it is written in another way. */
export function readAs(typed: string): string | undefined {
  const price = readPrice(typed);
  if (price === null || !Number.isInteger(price)) return undefined;
  const { decimals } = currency.value;
  if ([0, decimals].some((digits) => (price / 10 ** decimals).toFixed(digits) === typed.trim()))
    return undefined;
  return t('form.readAs', { price: formatMoney(price, currency.value) });
}
