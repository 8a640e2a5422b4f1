/** What was changed in a search on which nothing matches, with a way back and an alert for what is meant. */
import type { JSX } from 'preact';
import type { Ads, Category } from '../data/client';
import { named, t } from '../i18n';
import { readSearch, type Search, writeSearch } from './address';
import { SaveSearch } from './saveSearch';

type Change = NonNullable<Ads['relaxed']>[number];

/** The search that has these ads without being relaxed. */
export function understoodOf(page: Ads | undefined, { sort, view, bbox }: Search): Search | null {
  const query = page?.understood;
  if (query === undefined) return null;
  return { ...readSearch(new URL(`/search?${query}`, location.origin)), sort, view, bbox };
}

/** Words in quotes are searched for as they are. */
export function exactly(q: string): string {
  const parts = q.match(/"[^"]*"?|\S+/g) ?? [];
  const isPlain = (part: string): boolean => !/^["-]/.test(part) && part.toLowerCase() !== 'or';
  return parts.map((part) => (isPlain(part) ? `"${part.replaceAll('"', '')}"` : part)).join(' ');
}

function textOf({ kind, from, to }: Change, categories: Category[]): string {
  if (kind === 'spelling') return t('results.relaxedSpelling', { from, to });
  if (kind === 'place') return t('results.relaxedPlace', { from });
  if (kind === 'dropped') return t('results.relaxedDropped', { from });
  const category = categories.find((one) => one.slug === to);
  return t('results.relaxedCategory', { name: category ? named(category.name, category.names) : to });
}

interface Props {
  search: Search;
  changes: Change[];
  categories: Category[];
  /** The query that was understood, and what a saved one is called. */
  query: string;
  proposed: string;
}

export function Relaxed({ search, changes, categories, query, proposed }: Props): JSX.Element {
  const words = search.q.trim();
  return (
    <div class="relaxed">
      <p dir="auto">
        {t('results.relaxed')} {changes.map((change) => textOf(change, categories)).join(', ')}
      </p>
      <a href={writeSearch({ ...search, q: exactly(words) })} dir="auto">
        {t('results.exact', { words })}
      </a>
      <SaveSearch label={t('results.notify')} {...{ query, proposed }} />
    </div>
  );
}
