import type { JSX } from 'preact';
import { EnterFirst } from '../account/enterFirst';
import { OwnerActions } from '../ad/ownerActions';
import { address, navigate } from '../app/router';
import type { Ad, Status } from '../data/client';
import { toFault } from '../data/fault';
import { adQuery, myAdsQuery } from '../data/queries';
import { usePages, useQuery } from '../data/query';
import { user } from '../data/session';
import { currency } from '../data/site';
import { Empty, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { formatDate, formatPrice } from '../i18n/format';
import { More } from '../results/page';

const STATUSES: readonly Status[] = ['active', 'reserved', 'draft', 'expired', 'withdrawn', 'sold'];

export function MyAdsPage(): JSX.Element {
  const me = user.value;
  if (me === undefined) return <p class="loading">{t('loading')}</p>;
  if (me === null) return <EnterFirst title={t('my.title')} />;
  const asked = address.value.searchParams.get('status');
  const status = STATUSES.find((one) => one === asked) ?? null;
  return (
    <Page title={t('my.title')}>
      <nav class="tabs" aria-label={t('my.byStatus')}>
        {[null, ...STATUSES].map((one) => (
          <a
            key={one}
            href={one ? `/my?status=${one}` : '/my'}
            {...(one === status ? { 'aria-current': 'page' as const } : {})}
            onClick={(event) => {
              event.preventDefault();
              navigate(one ? `/my?status=${one}` : '/my', { keep: true });
            }}
          >
            {one ? t(`status.${one}`) : t('my.all')}
          </a>
        ))}
      </nav>
      <Mine status={status} />
    </Page>
  );
}

function Mine({ status }: { status: Status | null }): JSX.Element {
  const result = usePages(myAdsQuery(status));
  const ads = result.data?.pages.flatMap((page) => page.results) ?? [];
  if (result.isPending) return <p class="loading">{t('loading')}</p>;
  return (
    <>
      {result.error && <FaultNotice fault={toFault(result.error)} />}
      {result.data && ads.length === 0 && (
        <Empty>
          <p>{t('my.none')}</p>
        </Empty>
      )}
      <ul class="my-ads">
        {ads.map((ad) => (
          <MyAd key={ad.pk} ad={ad} />
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

function MyAd({ ad }: { ad: Ad }): JSX.Element {
  const shown = ad.status === 'active' || ad.status === 'reserved';
  // Lists do not tell when an ad expires.
  const expiresAt = useQuery({ ...adQuery(ad.pk, shown), staleTime: 5 * 60_000 }).data?.expiresAt ?? null;
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
          </p>
          <OwnerActions id={ad.pk} status={ad.status} />
        </div>
      </article>
    </li>
  );
}
