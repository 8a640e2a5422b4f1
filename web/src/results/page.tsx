/** The results of a search, beside its filters. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { address, navigate } from '../app/router';
import type { Ad, Category } from '../data/client';
import { toFault } from '../data/fault';
import { categoriesQuery, facetsQuery, resultsQuery } from '../data/queries';
import { usePages, useQuery } from '../data/query';
import { has } from '../data/site';
import { AdCard, CardsToCome } from '../elements/adCard';
import { Icon } from '../elements/icon';
import { More } from '../elements/listing';
import { Empty, FaultNotice } from '../elements/notice';
import { useTitle } from '../elements/page';
import { named, t } from '../i18n';
import { ActiveFilters, activeFilters } from './activeFilters';
import { feedAddress, queryOf, readSearch, type Search, toParameters, writeSearch } from './address';
import { PhoneFilters, useWide } from './filterSheet';
import { Filters } from './filters';
import { choosePlace, townAt } from './places';
import { Relaxed, understoodOf } from './relaxed';
import { SaveSearch } from './saveSearch';
import { SortChoice } from './sort';

const ResultsMap = lazy(() => import('../map/results').then((module) => module.ResultsMap));

export function ResultsPage(): JSX.Element {
  const url = address.value;
  const search = useMemo(() => readSearch(url), [url.href]);
  const categories = useQuery(categoriesQuery()).data ?? [];
  const category = categories.find((one) => one.slug === search.category);
  const first = usePages(resultsQuery(toParameters(search))).data?.pages[0];
  /** What has the same ads: counts, feeds and maps are not relaxed. */
  const understood = understoodOf(first, search);
  const shown = understood ?? search;
  const facets = useQuery(facetsQuery(toParameters(shown))).data;
  const onMap = search.view === 'map' && has('map');
  /** Whether filters have a column; a map takes its room. */
  const wide = useWide() && !onMap;
  const heading = headingOf(search, category);
  useTitle(heading);
  useFeed(feedAddress(shown), heading);
  usePlaceOf(search);

  const change = (next: Search): void => navigate(writeSearch(next), { keep: true });
  const saving = <SaveSearch query={queryOf(search)} proposed={nameOf(search, category)} />;
  return (
    <div class={`page results ${onMap ? 'on-map' : ''}`}>
      <h1 tabIndex={-1} dir="auto">
        {heading}
      </h1>
      {!wide && <PhoneFilters {...{ search, categories, category, facets }} onChange={change} />}
      <div class="results-bar">
        {!wide && saving}
        <ViewLink search={search} />
        <SortChoice search={search} onChange={change} />
      </div>
      {understood && (
        <Relaxed
          {...{ search, categories }}
          changes={first?.relaxed ?? []}
          query={queryOf(understood)}
          proposed={nameOf(
            understood,
            categories.find((one) => one.slug === understood.category),
          )}
        />
      )}
      {onMap ? (
        <ResultsMap
          search={shown}
          onMove={(bbox, isStep) =>
            navigate(writeSearch({ ...readSearch(address.peek()), bbox }), { keep: true, replace: !isStep })
          }
          list={(moved) => <List search={moved} />}
        />
      ) : (
        <div class="results-columns">
          {wide && (
            <aside class="filters" aria-label={t('results.filters')}>
              <Filters {...{ search, categories, category, facets }} onChange={change} />
            </aside>
          )}
          <section aria-label={t('results.list')}>
            {wide && <ActiveFilters {...{ search, category }} onChange={change} />}
            {wide && saving}
            <List search={search} />
          </section>
        </div>
      )}
    </div>
  );
}

/** On a phone it lies over the page, where the thumb is. */
function ViewLink({ search }: { search: Search }): JSX.Element | null {
  if (!has('map')) return null;
  const onMap = search.view === 'map';
  return (
    <a class="button view" href={writeSearch({ ...search, view: onMap ? '' : 'map', bbox: '' })}>
      <Icon name={onMap ? 'list' : 'map'} />
      {t(onMap ? 'results.asList' : 'results.onMap')}
    </a>
  );
}

/** The home page shows what is near the place that was searched by last, until that is taken away here. */
function usePlaceOf({ near, place, radius }: Search): void {
  const before = useRef(near);
  useEffect(() => {
    if (!near || place) return;
    // A saved search and a position have no name.
    let gone = false;
    void townAt(near).then((town) => {
      const current = readSearch(address.peek());
      if (town && !gone && current.near === near)
        navigate(writeSearch({ ...current, place: town.name }), { replace: true, keep: true });
    });
    return () => {
      gone = true;
    };
  }, [near, place]);
  useEffect(() => {
    if (near) choosePlace({ near, place, radius });
    else if (before.current) choosePlace(null);
    before.current = near;
  }, [near, place, radius]);
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
        <Empty
          text={
            first.suggestion ? (
              <>
                {t('results.didYouMean')}{' '}
                <a href={writeSearch({ ...search, q: first.suggestion })}>{first.suggestion}</a>
              </>
            ) : (
              t('results.none')
            )
          }
          to={{ href: '/search', text: t('results.showAll') }}
        >
          <SaveSearch
            label={t('results.notify')}
            query={queryOf(search)}
            proposed={nameOf(search, undefined)}
          />
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
