import type { JSX } from 'preact';
import { lazy } from '../app/lazy';
import { toFault } from '../data/fault';
import { categoriesQuery, newestQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { headline, pageOf, said, siteName, welcome } from '../data/site';
import { AdCard, CardsToCome } from '../elements/adCard';
import { CategoryIcon } from '../elements/icon';
import { Empty, FaultNotice } from '../elements/notice';
import { useTitle } from '../elements/page';
import { language, named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { EMPTY, type ListParameters, type Search, toParameters, writeSearch } from '../results/address';
import { chosenPlace } from '../results/places';
import { viewed } from '../results/recent';
import { SearchForm } from '../results/searchForm';

const Viewed = lazy(() => import('./viewed').then((module) => module.Viewed));

export const NEWEST = pageOf(20);
const ROW = pageOf(10);
/** Fewer make no row. */
const FEWEST = 3;

/** As many as the starter tree has roots. */
const TILES = Array.from({ length: 9 }, (_, index) => index);

export function HomePage(): JSX.Element {
  useTitle(siteName.value);
  const place = chosenPlace.value;
  const welcomed = said(welcome, language.value);
  return (
    <>
      <div class="hero">
        <div class="hero-inner">
          <h1>
            <span class="unseen">{t('home.title', { site: siteName.value })}. </span>
            {said(headline, language.value) || t('home.hero')}
          </h1>
          {welcomed && <p class="welcome">{welcomed}</p>}
          <SearchForm />
        </div>
      </div>
      <div class="page">
        <Categories />
        {place && (
          <Row
            id="near"
            heading={place.place ? t('home.near', { place: place.place }) : t('home.nearYou')}
            search={{ ...EMPTY, ...place }}
          />
        )}
        <Newest />
        {viewed.value.length > 0 && <Viewed />}
        <Row id="free" heading={t('home.free')} search={{ ...EMPTY, priceType: 'free' }} />
      </div>
    </>
  );
}

function Categories(): JSX.Element | null {
  const { data, isPending } = useQuery(categoriesQuery());
  const roots = data?.filter((category) => category.parent === null) ?? [];
  if (!isPending && roots.length === 0) return null;
  return (
    <section aria-labelledby="categories">
      <h2 id="categories" class="unseen">
        {t('home.categories')}
      </h2>
      <ul class="category-tiles">
        {roots.map((category) => (
          <li key={category.slug}>
            <a href={`/c/${category.slug}`}>
              <CategoryIcon slug={category.slug} categories={roots} size={28} />
              <span>{named(category.name, category.names)}</span>
              <span class="count">{formatNumber(category.count)}</span>
            </a>
          </li>
        ))}
        {isPending && TILES.map((tile) => <li key={tile} class="tile-to-come" aria-hidden="true" />)}
      </ul>
    </section>
  );
}

/** Ads side by side, which are swept through on a phone. */
function Row({ id, heading, search }: { id: string; heading: string; search: Search }): JSX.Element | null {
  const parameters: ListParameters = { ...toParameters(search), limit: ROW };
  const { data } = useQuery(newestQuery(parameters));
  if (!data || data.results.length < FEWEST) return null;
  return (
    <section aria-labelledby={id}>
      <div class="heading-row">
        <h2 id={id}>{heading}</h2>
        <a href={writeSearch(search)} aria-describedby={id}>
          {t('home.more')}
        </a>
      </div>
      <ul class="cards in-row">
        {data.results.map((ad) => (
          <AdCard key={ad.pk} ad={ad} />
        ))}
      </ul>
    </section>
  );
}

function Newest(): JSX.Element {
  const { data, error, isPending } = useQuery(newestQuery({ limit: NEWEST }));
  return (
    <section aria-labelledby="newest">
      <div class="heading-row">
        <h2 id="newest">{t('home.newest')}</h2>
        <a href="/search">{data ? t('home.all', { count: data.count }) : t('home.allPlain')}</a>
      </div>
      {isPending && <CardsToCome count={NEWEST} />}
      {error && <FaultNotice fault={toFault(error)} />}
      {data && data.results.length === 0 && (
        <Empty
          drawing="box"
          text={t('home.empty')}
          to={{ href: '/post', text: t('shell.post'), primary: true }}
        />
      )}
      {data && (
        <ul class="cards">
          {data.results.map((ad, index) => (
            <AdCard key={ad.pk} ad={ad} eager={index < 4} />
          ))}
        </ul>
      )}
    </section>
  );
}
