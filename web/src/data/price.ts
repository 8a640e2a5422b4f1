/** Prices as people type them: in ads and in offers. */
import { t } from '../i18n';
import { formatMoney } from '../i18n/format';
import { readNumber } from '../i18n/numbers';
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
  const price = readNumber(text, true);
  const maximum = limit('priceMax', 2_147_483_647);
  if (price === null) return [fault(at, 'wrong-price')];
  if (price < 0 || price > maximum) return [fault(at, 'out-of-range', { minimum: 0, maximum })];
  if (Number.isInteger(price)) return [];
  return [fault(at, 'cents', { minimum: Math.floor(price), maximum: Math.ceil(price) })];
}

/** A price as typed; what is no whole amount is returned as it is. */
export function priceValue(text: string): string | number {
  const price = readNumber(text, true);
  return price !== null && Number.isInteger(price) ? price : text.trim();
}

/** What the service gets, where it is written in another way. */
export function readAs(typed: string): string | undefined {
  const price = readNumber(typed, true);
  if (price === null || !Number.isInteger(price) || String(price) === typed.trim()) return undefined;
  return t('form.readAs', { price: formatMoney(price, currency.value) });
}
