/** Numbers as people type them. */
import { locale } from './index';

const CURRENCY = /\p{Sc}|eur(?:os?)?|usd|gbp|chf|евро|руб(?:лей|ля|ль|\.)?/giu;
/** "1500,-" and "1.500,–" are whole amounts. */
const NO_CENTS = /[.,][-–—]+$/;
const SPACES = /[\s\u00a0\u202f'’]/g;

/**
 * "1.500", "1 500 €", "149,99"; null for what is no number.
 *
 * Three digits after the only dot or comma are thousands if the number is `whole`, or if the reader's language writes
 * thousands so.
 */
export function readNumber(text: string, whole: boolean): number | null {
  const bare = text.replace(CURRENCY, '').replace(SPACES, '').replace(NO_CENTS, '');
  const found = /^(-?)(\d+(?:[.,]\d{3})*?)(?:([.,])(\d+))?$/.exec(bare);
  if (!found) return null;
  const [, sign = '', before = '', mark = '', after = ''] = found;
  const marks = new Set(before.match(/[.,]/g) ?? []);
  const digits = before.replace(/[.,]/g, '');
  // "1.234.567": the last mark is one of the others. "1.234,567.8" is nothing.
  if (marks.size > 1) return null;
  if (marks.size === 1 && !/^\d{1,3}[.,]/.test(before)) return null;
  const thousands =
    marks.has(mark) || (marks.size === 0 && /^[1-9]\d{0,2}$/.test(before) && after.length === 3);
  if (marks.has(mark) && after.length !== 3) return null;
  const grouped = mark !== '' && thousands && (marks.has(mark) || whole || mark === groupMark());
  return Number(`${sign}${digits}${grouped ? after : mark && `.${after}`}`);
}

function groupMark(): string {
  const parts = new Intl.NumberFormat(locale.value, { useGrouping: true }).formatToParts(1234567);
  return parts.find(({ type }) => type === 'group')?.value ?? ',';
}

/** As the reader's language writes it, for a field. */
export function writeNumber(value: number, minimumFractionDigits = 0): string {
  const digits = { minimumFractionDigits, maximumFractionDigits: 12 };
  return new Intl.NumberFormat(locale.value, { useGrouping: false, ...digits }).format(value);
}

/** In a unit that has so many decimals; no integer if more are typed. */
export function readAmount(text: string, decimals: number): number | null {
  const number = readNumber(text, decimals < 3);
  return number === null ? null : Number((number * 10 ** decimals).toFixed(6));
}

/** What `readAmount` reads: 12, or 12.50. */
export const writeAmount = (amount: number, decimals: number): string =>
  writeNumber(amount / 10 ** decimals, amount % 10 ** decimals === 0 ? 0 : decimals);
