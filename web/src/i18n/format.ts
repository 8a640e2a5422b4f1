import { computed } from '@preact/signals';
import type { PriceType } from '../data/client';
import { locale, t } from './index';

/** Prices are whole numbers of a unit that has so many decimals. */
export interface Currency {
  code: string;
  decimals: number;
}

const money = new Map<string, Intl.NumberFormat>();

function moneyFormat({ code, decimals }: Currency): Intl.NumberFormat {
  const key = `${locale.value} ${code} ${decimals}`;
  let format = money.get(key);
  if (!format) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    format = new Intl.NumberFormat(locale.value, { style: 'currency', currency: code, ...digits });
    money.set(key, format);
  }
  return format;
}

export function formatMoney(amount: number, currency: Currency): string {
  return moneyFormat(currency).format(amount / 10 ** currency.decimals);
}

/** Free and on-request ads keep an amount, which is not shown. */
export function formatPrice(amount: number, type: PriceType, currency: Currency): string {
  if (type === 'free') return t('price.free');
  if (type === 'onRequest') return t('price.onRequest');
  const text = formatMoney(amount, currency);
  return type === 'negotiable' ? t('price.negotiable', { price: text }) : text;
}

const dates = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium' }));
const moments = computed(
  () => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'short' }),
);
const times = computed(() => new Intl.DateTimeFormat(locale.value, { timeStyle: 'short' }));
const numbers = computed(() => new Intl.NumberFormat(locale.value, { maximumFractionDigits: 3 }));
const relative = computed(() => new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' }));

export const formatDate = (milliseconds: number): string => dates.value.format(milliseconds);
export const formatMoment = (milliseconds: number): string => moments.value.format(milliseconds);
export const formatTime = (milliseconds: number): string => times.value.format(milliseconds);
/** The time of day; of another day the date too. */
export const formatRecent = (milliseconds: number): string =>
  new Date(milliseconds).toDateString() === new Date().toDateString()
    ? formatTime(milliseconds)
    : formatMoment(milliseconds);
/** Of minutes, in the largest unit that fits. */
export function formatDuration(minutes: number): string {
  const hours = Math.round(minutes / 60);
  const [value, unit] =
    minutes < 60
      ? [Math.max(minutes, 1), 'minute']
      : hours < 48
        ? [hours, 'hour']
        : [Math.round(hours / 24), 'day'];
  return new Intl.NumberFormat(locale.value, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
export const formatPart = (part: number): string =>
  new Intl.NumberFormat(locale.value, { style: 'percent' }).format(part);
export const formatNumber = (value: number): string => numbers.value.format(value);

/** A date without a time of day, such as `2026-11-30`, is the same day everywhere. */
export function formatDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  return new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeZone: 'UTC' }).format(date);
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "3 weeks ago". */
export function formatAge(milliseconds: number, now: number = Date.now()): string {
  const seconds = Math.round((milliseconds - now) / 1000);
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.value.format(Math.trunc(seconds / size), unit);
  }
  return t('age.now');
}

export function formatDistance(metres: number): string {
  const kilometres = metres / 1000;
  return new Intl.NumberFormat(locale.value, {
    style: 'unit',
    unit: 'kilometer',
    maximumFractionDigits: kilometres < 10 ? 1 : 0,
  }).format(kilometres);
}
