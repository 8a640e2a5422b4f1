/** Files that the console makes: tables as RFC 4180 has them, and what else a person keeps. */
import type { Ad } from '../data/client';

/** Spreadsheets would take a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function table(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number): string => {
    const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

export function adsTable(ads: readonly Ad[]): string {
  const at = (milliseconds: number): string => new Date(milliseconds).toISOString();
  return table([
    ['id', 'status', 'title', 'price', 'category', 'author', 'created', 'updated'],
    ...ads.map((ad) => [
      ad.pk,
      ad.status,
      ad.title,
      ad.price,
      ad.category ?? '',
      ad.author,
      at(ad.createdAt),
      at(ad.updatedAt),
    ]),
  ]);
}
