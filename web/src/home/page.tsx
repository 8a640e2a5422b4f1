import type { JSX } from 'preact';
import { toFault } from '../data/fault';
import { categoriesQuery, newestQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { siteName } from '../data/site';
import { AdCard, CardsToCome } from '../elements/adCard';
import { Empty, FaultNotice } from '../elements/notice';
import { useTitle } from '../elements/page';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';

const NEWEST = 12;

export function HomePage(): JSX.Element {
  useTitle(siteName.value);
  return (
    <div class="page">
      <h1 class="unseen">{t('home.title', { site: siteName.value })}</h1>
      <Categories />
      <Newest />
    </div>
  );
}

function Categories(): JSX.Element | null {
  const { data, isPending } = useQuery(categoriesQuery());
  const roots = data?.filter((category) => category.parent === null) ?? [];
  if (!isPending && roots.length === 0) return null;
  return (
    <section aria-labelledby="categories">
      <h2 id="categories">{t('home.categories')}</h2>
      <ul class="category-tiles">
        {roots.map((category) => (
          <li key={category.slug}>
            <a href={`/c/${category.slug}`}>
              {named(category.name, category.names)} <span class="count">{formatNumber(category.count)}</span>
            </a>
          </li>
        ))}
        {isPending && <li class="tile-to-come" aria-hidden="true" />}
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
      {isPending && <CardsToCome />}
      {error && <FaultNotice fault={toFault(error)} />}
      {data && data.results.length === 0 && (
        <Empty>
          <p>{t('home.empty')}</p>
        </Empty>
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
