import '../post/words';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { leaving, OwnerActions } from '../ad/ownerActions';
import { address } from '../app/router';
import type { Ad, Status } from '../data/client';
import { myAdsQuery } from '../data/queries';
import { usePages } from '../data/query';
import { Icon, type IconName } from '../elements/icon';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { Price } from '../elements/price';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatDate, formatNumber } from '../i18n/format';
import { UNTITLED } from '../post/form/toRequest';
import { ModeratedPicture } from '../review/picture';
import { type NextStep, nextStep } from './nextStep';

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
          <Mine status={status} />
          <p>
            <a href="/my/imports">{t('my.import')}</a>
          </p>
        </Page>
      )}
    </SignedIn>
  );
}

/** The list, and the tabs above it, with the numbers that came with it. */
function Mine({ status }: { status: Status | null }): JSX.Element {
  const result = usePages(myAdsQuery(status));
  const loaded = result.data?.pages[0]?.counts;
  // Of another tab, until its own are there.
  const known = useRef(loaded);
  known.current = loaded ?? known.current;
  const counts = known.current;
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <Tabs
        label={t('my.byStatus')}
        tabs={[null, ...STATUSES]
          .filter((one) => one === null || one === status || !counts || counts[one])
          .map((one) => ({
            href: one ? `/my?status=${one}` : '/my',
            text: one ? t(`status.${one}`) : t('my.all'),
            count: one ? (counts?.[one] ?? (counts && 0)) : all,
            current: one === status,
          }))}
      />
      <Listing
        key={status}
        result={result}
        look="my-ads"
        none={
          all === 0
            ? {
                drawing: 'box',
                text: t('my.noneYet'),
                to: { href: '/post', text: t('my.first'), primary: true },
              }
            : { drawing: 'box', text: t('my.none'), to: { href: '/my', text: t('my.showAll') } }
        }
        each={(ad: Ad) => (leaving.value.includes(ad.pk) ? null : <MyAd key={ad.pk} ad={ad} />)}
      />
    </>
  );
}

function MyAd({ ad }: { ad: Ad }): JSX.Element {
  const { expiresAt = null } = ad;
  const next = nextStep(ad);
  const title = ad.title === UNTITLED ? t('my.untitled') : ad.title;
  // The price of a draft that has none yet is 0.
  const priced = ad.status !== 'draft' || ad.price > 0 || ad.priceType !== 'fixed';
  const shown = ad.status === 'active' || ad.status === 'reserved';
  const hidden = ad.status === 'suspended' || ad.status === 'removed';
  return (
    <li class="panel">
      <article aria-labelledby={`mine-${ad.pk}`}>
        {hidden ? (
          <ModeratedPicture path={ad.thumbnail} width={96} height={72} />
        ) : ad.thumbnail ? (
          <img class="thumb" src={ad.thumbnail} alt="" width="96" height="72" loading="lazy" />
        ) : (
          <span class="thumb">
            <Icon name="pictures" />
          </span>
        )}
        <div>
          <h2 id={`mine-${ad.pk}`}>
            <a href={ad.status === 'draft' ? `/post?draft=${ad.pk}` : `/a/${ad.pk}`}>{title}</a>
          </h2>
          <p>
            {priced && (
              <span class="price">
                <Price of={ad} />
              </span>
            )}{' '}
            <span class={ad.status === 'active' ? 'tag good' : 'tag'}>{t(`status.${ad.status}`)}</span>
          </p>
          <p class="faint">
            {ad.status === 'draft'
              ? formatDate(ad.createdAt)
              : t('ad.posted', { date: formatDate(ad.createdAt) })}
            {shown && expiresAt !== null && <> · {t('ad.expires', { date: formatDate(expiresAt) })}</>}
          </p>
          {ad.status !== 'draft' && <Figures ad={ad} />}
          {next && <Next step={next} id={ad.pk} />}
        </div>
        <OwnerActions
          id={ad.pk}
          status={ad.status}
          compact={title}
          {...(next === 'renew' ? { first: 'renew' } : {})}
        />
      </article>
    </li>
  );
}

function Next({ step, id }: { step: NextStep; id: number }): JSX.Element {
  return (
    <p class="next-step">
      {t(`next.${step}`)} {step !== 'renew' && <a href={`/a/${id}/edit`}>{t(`next.do.${step}`)}</a>}
    </p>
  );
}

/** How many have seen it, keep it, have written about it, and have read the phone number. */
function Figures({ ad }: { ad: Ad }): JSX.Element {
  const { viewCount = 0, favoriteCount = 0, conversationCount = 0, phoneCount = 0 } = ad;
  const figures: [IconName, number, string][] = [
    ['eye', viewCount, t('stats.views', { count: viewCount })],
    ['heart', favoriteCount, t('favorite.count', { count: favoriteCount })],
    ['talk', conversationCount, t('stats.conversations', { count: conversationCount })],
  ];
  if (phoneCount > 0) figures.push(['phone', phoneCount, t('phone.count', { count: phoneCount })]);
  return (
    <ul class="row figures">
      {figures.map(([icon, count, text]) => (
        <li key={icon} title={text}>
          <Icon name={icon} size={16} />
          <span aria-hidden="true">{formatNumber(count)}</span>
          <span class="unseen">{text}</span>
        </li>
      ))}
    </ul>
  );
}
