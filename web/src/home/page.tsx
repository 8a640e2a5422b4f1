import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { toFault } from '../data/fault';
import { frame } from '../data/frame';
import { categoriesQuery, newestQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { headline, pageOf, said, siteName, welcome } from '../data/site';
import { AdCard, CardsToCome } from '../elements/adCard';
import { CategoryIcon } from '../elements/icon';
import { Empty, FaultNotice } from '../elements/notice';
import { useTitle } from '../elements/page';
import { language, named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import {
  EMPTY,
  type ListParameters,
  readSearch,
  type Search,
  toParameters,
  writeSearch,
} from '../results/address';
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
        {(frame.sections?.length ? frame.sections : OWN).map((section, index) => (
          <Section key={index} of={section} />
        ))}
        {viewed.value.length > 0 && <Viewed />}
      </div>
    </>
  );
}

type SectionOf = NonNullable<typeof frame.sections>[number];
const FREE = 'priceType=free';
const NO_TEXTS = { title: {}, query: '', text: {} };
/** The storefront's own home page. */
const OWN: SectionOf[] = [
  { kind: 'categories', ...NO_TEXTS },
  { kind: 'near', ...NO_TEXTS },
  { kind: 'newest', ...NO_TEXTS },
  { kind: 'collection', ...NO_TEXTS, query: FREE },
];

function Section({ of: { kind, title, query, text } }: { of: SectionOf }): JSX.Element | null {
  const place = chosenPlace.value;
  const heading = said(title, language.value);
  if (kind === 'categories') return <Categories heading={heading} />;
  if (kind === 'newest') return <Newest heading={heading || t('home.newest')} />;
  if (kind === 'text')
    return (
      <section>
        {heading && <h2>{heading}</h2>}
        <p class="welcome">{said(text, language.value)}</p>
      </section>
    );
  if (kind === 'collection') {
    const usual = query === FREE ? t('home.free') : t('home.allPlain');
    const search = readSearch(new URL(`/search?${query}`, location.origin));
    return <Row heading={heading || usual} search={search} />;
  }
  if (!place) return null;
  const near = place.place ? t('home.near', { place: place.place }) : t('home.nearYou');
  return <Row heading={heading || near} search={{ ...EMPTY, ...place }} />;
}

function Categories({ heading }: { heading: string }): JSX.Element | null {
  const id = useId();
  const { data, isPending } = useQuery(categoriesQuery());
  const roots = data?.filter((category) => category.parent === null) ?? [];
  if (!isPending && roots.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} class={heading ? '' : 'unseen'}>
        {heading || t('home.categories')}
      </h2>
      <ul class="category-tiles">
        {roots.map((category) => (
          <li key={category.slug}>
            <a href={`/c/${category.slug}`}>
              <CategoryIcon {...category} />
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
function Row({ heading, search }: { heading: string; search: Search }): JSX.Element | null {
  const id = useId();
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

function Newest({ heading }: { heading: string }): JSX.Element {
  const id = useId();
  const { data, error, isPending } = useQuery(newestQuery({ limit: NEWEST }));
  return (
    <section class="newest" aria-labelledby={id}>
      <div class="heading-row">
        <h2 id={id}>{heading}</h2>
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
