/** The results of a search, beside its filters. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import type { Ad, Category } from '../data/client';
import { toFault } from '../data/fault';
import { categoriesQuery, facetsQuery, resultsQuery } from '../data/queries';
import { usePages, useQuery } from '../data/query';
import { AdCard, CardsToCome } from '../elements/adCard';
import { Icon } from '../elements/icon';
import { More } from '../elements/listing';
import { Empty, FaultNotice } from '../elements/notice';
import { useTitle } from '../elements/page';
import { named, t } from '../i18n';
import { ActiveFilters, activeFilters } from './activeFilters';
import {
  countFilters,
  feedAddress,
  queryOf,
  readSearch,
  type Search,
  toParameters,
  writeSearch,
} from './address';
import { Filters } from './filters';
import { rememberPlaces } from './places';
import { SaveSearch } from './saveSearch';
import { SortChoice } from './sort';

export function ResultsPage(): JSX.Element {
  const url = address.value;
  const search = useMemo(() => readSearch(url), [url.href]);
  const categories = useQuery(categoriesQuery()).data ?? [];
  const category = categories.find((one) => one.slug === search.category);
  const facets = useQuery(facetsQuery(toParameters(search))).data;
  const [open, setOpen] = useState(false);
  const heading = headingOf(search, category);
  useTitle(heading);
  useFeed(feedAddress(search), heading);

  const change = (next: Search): void => navigate(writeSearch(next), { keep: true });
  const filters = countFilters(search);
  return (
    <div class="page results">
      <h1 tabIndex={-1}>{heading}</h1>
      <div class="results-bar">
        <button
          type="button"
          class="filters-toggle"
          aria-expanded={open}
          aria-controls="filters"
          onClick={() => setOpen(!open)}
        >
          <Icon name="filter" />
          {filters > 0 ? t('results.filtersOn', { count: filters }) : t('results.filters')}
        </button>
        <SortChoice search={search} onChange={change} />
      </div>
      <div class="results-columns">
        <aside id="filters" class={open ? 'filters open' : 'filters'} aria-label={t('results.filters')}>
          <Filters {...{ search, categories, category, facets }} onChange={change} />
        </aside>
        <section aria-label={t('results.list')}>
          <ActiveFilters {...{ search, category }} onChange={change} />
          <SaveSearch query={queryOf(search)} proposed={nameOf(search, category)} />
          <List search={search} />
        </section>
      </div>
    </div>
  );
}

function headingOf(search: Search, category: Category | undefined): string {
  const name = category && named(category.name, category.names);
  const q = search.q.trim();
  if (q && name) return t('results.titleWordsIn', { words: q, category: name });
  if (q) return t('results.titleWords', { words: q });
  return name ?? (search.category || t('results.title'));
}

/** What a saved search is called if nobody calls it otherwise. */
function nameOf(search: Search, category: Category | undefined): string {
  const filters = activeFilters(search, category).map(({ label }) => label);
  const plain = !search.q.trim() && !search.category && filters.length > 0;
  return [...(plain ? [] : [headingOf(search, category)]), ...filters].join(', ');
}

/** Feed readers find the search by a link in the head. */
function useFeed(feed: string, title: string): void {
  useEffect(() => {
    const known = document.head.querySelector<HTMLLinkElement>('link[type="application/atom+xml"]');
    const link = known ?? document.createElement('link');
    link.rel = 'alternate';
    link.type = 'application/atom+xml';
    link.href = feed;
    link.title = title;
    if (!known) document.head.append(link);
    return () => link.remove();
  }, [feed, title]);
}

function List({ search }: { search: Search }): JSX.Element {
  const result = usePages(resultsQuery(toParameters(search)));
  const pages = result.data?.pages ?? [];
  const ads = unique(pages.flatMap((page) => page.results));
  const first = pages[0];
  useEffect(() => rememberPlaces(ads), [pages]);
  const count = first && (
    <p class="faint" role="status">
      {t(first.countExact ? 'results.count' : 'results.countAtLeast', { count: first.count })}
    </p>
  );
  if (result.isPending) return <CardsToCome />;
  return (
    <>
      {count}
      {result.error && <FaultNotice fault={toFault(result.error)} />}
      {first && ads.length === 0 && !result.hasNextPage && (
        <Empty>
          <p>{t('results.none')}</p>
          <p>
            <a href="/search">{t('results.showAll')}</a>
          </p>
        </Empty>
      )}
      <ul class="cards">
        {ads.map((ad, index) => (
          <AdCard key={ad.pk} ad={ad} eager={index < 4} />
        ))}
      </ul>
      {result.hasNextPage && (
        <More
          busy={result.isFetchingNextPage}
          failed={result.isFetchNextPageError}
          onMore={() => void result.fetchNextPage()}
        />
      )}
    </>
  );
}

/** An ad that changed between two pages may be on both. */
function unique(ads: Ad[]): Ad[] {
  return [...new Map(ads.map((ad) => [ad.pk, ad])).values()];
}
