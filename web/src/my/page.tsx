import type { JSX } from 'preact';
import { SignedIn } from '../account/enterFirst';
import { OwnerActions } from '../ad/ownerActions';
import { address } from '../app/router';
import type { Ad, Status } from '../data/client';
import { myAdsQuery } from '../data/queries';
import { usePages } from '../data/query';
import { currency } from '../data/site';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatDate, formatPrice } from '../i18n/format';

const STATUSES: readonly Status[] = [
  'active',
  'reserved',
  'draft',
  'expired',
  'withdrawn',
  'sold',
  'suspended',
];

export function MyAdsPage(): JSX.Element {
  const wanted = address.value.searchParams.get('status');
  const status = STATUSES.find((one) => one === wanted) ?? null;
  return (
    <SignedIn title={t('my.title')}>
      {() => (
        <Page title={t('my.title')}>
          <Tabs
            label={t('my.byStatus')}
            tabs={[null, ...STATUSES].map((one) => ({
              href: one ? `/my?status=${one}` : '/my',
              text: one ? t(`status.${one}`) : t('my.all'),
              current: one === status,
            }))}
          />
          <Mine status={status} />
        </Page>
      )}
    </SignedIn>
  );
}

function Mine({ status }: { status: Status | null }): JSX.Element {
  const result = usePages(myAdsQuery(status));
  return (
    <Listing
      result={result}
      look="my-ads"
      none={t('my.none')}
      each={(ad: Ad) => <MyAd key={ad.pk} ad={ad} />}
    />
  );
}

function MyAd({ ad }: { ad: Ad }): JSX.Element {
  const { expiresAt = null, favoriteCount = 0 } = ad;
  const shown = ad.status === 'active' || ad.status === 'reserved';
  return (
    <li>
      <article aria-labelledby={`mine-${ad.pk}`}>
        <img src={ad.thumbnail} alt="" width="96" height="72" loading="lazy" />
        <div>
          <h2 id={`mine-${ad.pk}`}>
            <a href={`/a/${ad.pk}`}>{ad.title}</a>
          </h2>
          <p>
            <span class={`standing-word ${ad.status}`}>{t(`status.${ad.status}`)}</span>{' '}
            <span class="price">{formatPrice(ad.price, ad.priceType, currency.value)}</span>
          </p>
          <p class="faint">
            {t('ad.posted', { date: formatDate(ad.createdAt) })}
            {shown && expiresAt !== null && <> · {t('ad.expires', { date: formatDate(expiresAt) })}</>}
            {favoriteCount > 0 && <> · {t('favorite.count', { count: favoriteCount })}</>}
          </p>
          <OwnerActions id={ad.pk} status={ad.status} />
        </div>
      </article>
    </li>
  );
}
