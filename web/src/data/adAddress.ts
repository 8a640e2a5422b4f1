/** The address of an ad's page, with its title for people and search engines: `/a/189-golf-variant`. */
import type { Ad } from './client';

const LONGEST = 60;

/** As `slug_of` of the service makes it (`api/storefront/views.py`). */
export function slugOf(title: string): string {
  const plain = title.normalize('NFKD').toLowerCase().replaceAll('ß', 'ss');
  const text = plain.replace(/([a-z])[\u0300-\u036f]+/g, '$1').normalize('NFC');
  const slug = (text.match(/[\p{L}\p{N}]+/gu) ?? []).join('-');
  const letters = [...slug];
  if (letters.length <= LONGEST) return slug;
  const cut = letters.slice(0, LONGEST).join('');
  const end = cut.lastIndexOf('-');
  return end > 0 ? cut.slice(0, end) : cut;
}

export function adAddress({ pk, title }: Pick<Ad, 'pk' | 'title'>): string {
  const slug = slugOf(title);
  return slug ? `/a/${pk}-${encodeURIComponent(slug)}` : `/a/${pk}`;
}

/** The id in the last part of the address; NaN if there is none. */
export function idIn(part: string | undefined): number {
  return Number(/^(\d+)(?:-|$)/.exec(part ?? '')?.[1] ?? Number.NaN);
}
