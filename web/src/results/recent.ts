/** What was searched for and looked at last, on this device only. */
import { type Signal, signal } from '@preact/signals';
import { onOtherPerson } from '../data/session';
import type { CardAd } from '../elements/adCard';

const SEARCHES = { key: 'searches', most: 6 };
const VIEWED = { key: 'viewed', most: 12 };

function kept<Item>(
  { key, most }: { key: string; most: number },
  isItem: (one: unknown) => one is Item,
): Signal<readonly Item[]> {
  let found: unknown = null;
  try {
    found = JSON.parse(localStorage.getItem(key) ?? '[]');
  } catch {
    // Storage may be switched off.
  }
  return signal(Array.isArray(found) ? found.filter(isItem).slice(0, most) : []);
}

function keep<Item>(
  list: Signal<readonly Item[]>,
  { key, most }: { key: string; most: number },
  items: readonly Item[],
): void {
  list.value = items.slice(0, most);
  try {
    if (items.length > 0) localStorage.setItem(key, JSON.stringify(list.value));
    else localStorage.removeItem(key);
  } catch {
    // They last as long as the page.
  }
}

export const recent = kept(SEARCHES, (one): one is string => typeof one === 'string');

/** As they were when they were looked at. */
export const viewed = kept(VIEWED, (one): one is CardAd => {
  const { pk, title, thumbnail } = (one ?? {}) as Partial<Record<string, unknown>>;
  return Number.isSafeInteger(pk) && typeof title === 'string' && typeof thumbnail === 'string';
});

export function remember(text: string): void {
  const q = text.trim();
  if (q) keep(recent, SEARCHES, [q, ...recent.value.filter((one) => one !== q)]);
}

export function forgetRecent(): void {
  keep(recent, SEARCHES, []);
}

export function rememberAd(ad: CardAd): void {
  keep(viewed, VIEWED, [ad, ...viewed.peek().filter(({ pk }) => pk !== ad.pk)]);
}

/** One that is gone, or all. */
export function forgetViewed(gone?: number): void {
  keep(viewed, VIEWED, gone === undefined ? [] : viewed.peek().filter(({ pk }) => pk !== gone));
}

onOtherPerson(() => {
  forgetRecent();
  forgetViewed();
});
