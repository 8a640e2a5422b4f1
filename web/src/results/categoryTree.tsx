import type { JSX } from 'preact';
import type { AdFacets, Category } from '../data/client';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { type Search, writeSearch } from './address';

/** The path to the chosen category, and its children with their counts. */
export function CategoryTree({
  search,
  categories,
  category,
  facets,
}: {
  search: Search;
  categories: Category[];
  category: Category | undefined;
  facets: AdFacets | undefined;
}): JSX.Element | null {
  if (categories.length === 0) return null;
  const counts = new Map(facets?.categories.map((one) => [one.slug, one.count]));
  const above = ancestors(categories, category);
  const children = categories.filter((one) => one.parent === (category?.slug ?? null));
  // Attribute filters of one category may not exist in another.
  const to = (slug: string): string => writeSearch({ ...search, category: slug, attributes: {} });
  return (
    <nav class="tree" aria-label={t('filter.categories')}>
      <h2>{t('filter.categories')}</h2>
      <ul>
        {category && (
          <li>
            <a href={to('')}>{t('filter.allCategories')}</a>
          </li>
        )}
        {above.map((one, depth) => (
          <li key={one.slug} class={`depth-${Math.min(depth + 1, 4)}`}>
            <a href={to(one.slug)}>{named(one.name, one.names)}</a>
          </li>
        ))}
        {category && (
          <li class={`depth-${Math.min(above.length + 1, 4)}`}>
            <a href={to(category.slug)} aria-current="true">
              {named(category.name, category.names)}
            </a>
          </li>
        )}
        {children.map((one) => {
          const count = counts.get(one.slug) ?? (facets ? 0 : one.count);
          return (
            <li key={one.slug} class={`depth-${category ? Math.min(above.length + 2, 4) : 0}`}>
              <a href={to(one.slug)}>
                {named(one.name, one.names)} {count > 0 && <span class="count">{formatNumber(count)}</span>}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** From the root down to the parent. */
export function ancestors(categories: readonly Category[], category: Category | undefined): Category[] {
  const above: Category[] = [];
  let parent = categories.find((one) => one.slug === category?.parent);
  while (parent && !above.includes(parent)) {
    above.unshift(parent);
    const next = parent.parent;
    parent = categories.find((one) => one.slug === next);
  }
  return above;
}
