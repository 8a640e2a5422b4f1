/** One ad: its details; after login the seller's contact; for the author the possible steps. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { NotFoundPage } from '../app/notFound';
import { address, navigate, type PageProps } from '../app/router';
import { adAddress, idIn } from '../data/adAddress';
import type { AdDetails, Category, ExtendedAd, ShownAd } from '../data/client';
import { type Fault, toFault } from '../data/fault';
import { keepText, keptText } from '../data/kept';
import { adQuery, categoriesQuery, detailsQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { currency } from '../data/site';
import type { CardAd } from '../elements/adCard';
import { Heart } from '../elements/heart';
import { Icon } from '../elements/icon';
import { announce, FaultNotice } from '../elements/notice';
import { Page, useTitle } from '../elements/page';
import { Price } from '../elements/price';
import { named, t } from '../i18n';
import { formatDate, formatMoney } from '../i18n/format';
import { published } from '../post/published';
import { ancestors } from '../results/categoryTree';
import { forgetViewed, rememberAd, viewed } from '../results/recent';
import { Attributes } from './attributes';
import { Comments } from './comments';
import { Gallery } from './gallery';
import { ReportButton } from './report';
import { ContactBar, Seller, WriteSheet } from './seller';
import { Similar } from './similar';
import { Where } from './where';

export function AdPage({ parameters }: PageProps): JSX.Element {
  const id = idIn(parameters.id);
  if (!Number.isSafeInteger(id) || id < 1) return <NotFoundPage />;
  return <AdById id={id} />;
}

function AdById({ id }: { id: number }): JSX.Element {
  const me = user.value;
  // Loaded together with the ad: content that comes later would move the page.
  const categories = useQuery(categoriesQuery());
  const asMember = useQuery(adQuery(id, Boolean(me)));
  // After a logout, the contact that was loaded before is not shown.
  const full = me ? asMember : { data: undefined, error: null, isPending: false };
  // Of one's own ad that others do not see, there is nothing else to ask for.
  const details = useQuery({ ...detailsQuery(id), enabled: !full.data || isShown(full.data.status) });
  const ad: ShownAd | undefined = full.data ?? details.data;
  const wanted = ad && adAddress({ pk: id, title: ad.title });
  useEffect(() => {
    const { pathname, search } = address.peek();
    if (wanted && pathname !== wanted) navigate(wanted + search, { replace: true, keep: true });
  }, [wanted]);
  const seen = details.data;
  const before = useMemo(() => viewed.peek().find(({ pk }) => pk === id), [id]);
  const status = details.error && toFault(details.error).status;
  useEffect(() => {
    if (seen && me !== undefined && seen.author.id !== me?.id) rememberAd(cardOf(id, seen));
    if (status === 404 || status === 410) forgetViewed(id);
  }, [seen, me, status]);
  if (ad && categories.isPending) return <AdToCome />;
  if (ad) return <Shown id={id} ad={ad} details={details.data} full={full.data} fullError={full.error} />;
  const waits = me === undefined || details.isPending || (me && full.isPending);
  if (waits) return <AdToCome />;
  return <Missing id={id} seen={before} fault={toFault(full.error ?? details.error)} />;
}

function cardOf(pk: number, { author, images, ...ad }: AdDetails): CardAd {
  const { title, price, priceType, place, status, createdAt, category, attributes } = ad;
  const thumbnail = images[0]?.variants.thumb?.path ?? ad.image;
  const card = { title, price, priceType, place, status, createdAt, category, attributes, thumbnail };
  return { pk, author: author.id, imageCount: images.length, ...card };
}

function AdToCome(): JSX.Element {
  return (
    <div class="page ad" role="status" aria-label={t('loading')}>
      <div class="breadcrumbs">
        <ol>
          <li>{'\u00a0'}</li>
        </ol>
      </div>
      <div class="ad-columns">
        <div class="gallery">
          <div class="stage" />
        </div>
        <div class="ad-side" />
      </div>
    </div>
  );
}

const ModeratedGallery = lazy(() => import('../review/gallery').then((module) => module.ModeratedGallery));

const OwnerActions = lazy(() => import('./ownerActions').then((module) => module.OwnerActions));

const Bought = lazy(() => import('./gone').then((module) => module.Bought));

const Published = lazy(() => import('./published').then((module) => module.Published));

const Gone = lazy(() => import('./gone').then((module) => module.Gone));

function Missing({
  id,
  seen,
  fault,
}: {
  id: number;
  /** As this device has seen it before. */
  seen: CardAd | undefined;
  fault: Fault;
}): JSX.Element {
  if (fault.status === 410) return <Gone id={id} seen={seen} />;
  if (fault.status === 404) return <NotFoundPage />;
  return (
    <Page title={t('problem.title')} narrow>
      <FaultNotice fault={fault} />
    </Page>
  );
}

interface ShownProps {
  id: number;
  ad: ShownAd;
  details: AdDetails | undefined;
  full: ExtendedAd | undefined;
  fullError: Error | null;
}

function Shown({ id, ad, details, full, fullError }: ShownProps): JSX.Element {
  useTitle(ad.title);
  const me = user.value;
  const categories = useQuery(categoriesQuery()).data ?? [];
  const category = categories.find((one) => one.slug === ad.category);
  const authorId = details?.author.id ?? full?.author;
  const mine = Boolean(me) && authorId === me?.id;
  const [writing, setWriting] = useState<'' | 'message' | 'offer'>(
    () => keptText(`write ${id}`) as '' | 'message' | 'offer',
  );
  useEffect(() => keepText(`write ${id}`, ''), [id]);
  const shown = isShown(ad.status);
  const offered = shown && !mine;
  return (
    <article class="page ad">
      <Breadcrumbs {...{ categories, category }} />
      <div class="ad-columns">
        <Pictures ad={ad} />
        <div class="ad-side">
          <Head ad={ad} priceBefore={details?.priceBefore} />
          <Standing ad={ad} mine={mine} />
          <div class="row ad-actions">
            {offered && <Heart ad={id} author={authorId} />}
            <Share title={ad.title} />
          </div>
          <ForParties {...{ id, ad, full, mine }} />
          {offered && <Seller {...{ id, ad, details, full, fullError }} onWrite={setWriting} />}
          {offered && <ReportButton ad={id} />}
        </div>
        <div class="ad-body">
          <Attributes values={ad.attributes} category={category} />
          <section aria-labelledby="description">
            <h2 id="description">{t('ad.description')}</h2>
            <p class="as-written" dir="auto">
              {ad.description}
            </p>
          </section>
          <Where ad={details ?? ad} />
          {(mine || shown) && <Comments id={id} mine={mine} />}
        </div>
      </div>
      {(shown || !mine) && <Similar id={id} category={ad.category} />}
      {offered && <ContactBar {...{ id, ad, full }} onWrite={() => setWriting('message')} />}
      {offered && writing && (
        <WriteSheet
          ad={id}
          priceType={ad.priceType}
          offers={writing === 'offer'}
          onClose={() => setWriting('')}
        />
      )}
    </article>
  );
}

function Head({ ad, priceBefore }: { ad: ShownAd; priceBefore: number | undefined }): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1} dir="auto">
        {ad.title}
      </h1>
      <p class="price large">
        <Price of={ad} free="free" />
        {priceBefore !== undefined && (
          <span class="before">
            {' '}
            {t('ad.priceBefore', { price: formatMoney(priceBefore, currency.value) })}
          </span>
        )}
      </p>
      <p class="faint">
        {ad.place && (
          <span class="place">
            <Icon name="place" />
            <bdi>{ad.place}</bdi>
            {' · '}
          </span>
        )}
        {t('ad.posted', { date: formatDate(ad.createdAt) })}
      </p>
    </>
  );
}

/** Those of a hidden ad have no public address, nor may those of a suspended account; who sees the ad sees them. */
function Pictures({ ad: { images, image, title, status } }: { ad: ShownAd }): JSX.Element {
  const isHidden = status === 'suspended' || status === 'removed' || user.value?.role === 'ADMIN';
  if (isHidden && !isShown(status)) return <ModeratedGallery {...{ images, title }} />;
  return <Gallery {...{ images, title }} fallback={image} />;
}

const isShown = (status: ShownAd['status']): boolean => status === 'active' || status === 'reserved';

/** By the device's own means where it has them; otherwise the address is copied. */
function Share({ title }: { title: string }): JSX.Element {
  async function share(): Promise<void> {
    const url = location.origin + location.pathname;
    if (navigator.share) return navigator.share({ title, url });
    await navigator.clipboard.writeText(url);
    announce('share.copied');
  }
  return (
    <button
      type="button"
      // Who closes the device's menu has shared nothing, which is no fault.
      onClick={() => void share().catch((error) => error.name !== 'AbortError' && announce('share.failed'))}
    >
      <Icon name="share" />
      {t('share.do')}
    </button>
  );
}

/** For its author and its buyer. */
function ForParties({ id, ad, full, mine }: Omit<ShownProps, 'details' | 'fullError'> & { mine: boolean }) {
  return (
    <>
      {mine && published.value === id && <Published />}
      {mine && <Popularity full={full} />}
      {!mine && ad.status === 'sold' && <Bought id={id} />}
      {(mine || user.value?.role === 'ADMIN') && (
        <OwnerActions id={id} status={ad.status} expires={ad.expiresAt !== null} />
      )}
    </>
  );
}

const Stats = lazy(() => import('./stats').then((module) => module.Stats));

/** For the author: how many keep the ad, and have read the phone number; and what was written about it. */
function Popularity({ full }: { full: ExtendedAd | undefined }): JSX.Element | null {
  if (!full) return null;
  const { favoriteCount = 0, phoneCount = 0 } = full;
  return (
    <>
      <p class="faint">
        {favoriteCount > 0 && <>{t('favorite.count', { count: favoriteCount })} · </>}
        {phoneCount > 0 && <>{t('phone.count', { count: phoneCount })} · </>}
        <a href={`/messages?ad=${full.pk}`}>{t('shell.messages')}</a>
      </p>
      <Stats id={full.pk} />
    </>
  );
}

const isFresh = (at: number | null): boolean => at !== null && Date.now() - at < 60_000;

/** Whether the thing is still available. */
function Standing({ ad, mine }: { ad: ShownAd; mine: boolean }): JSX.Element | null {
  if (ad.status === 'active' && !(mine && ad.expiresAt)) return null;
  return (
    <p class={`standing ${ad.status} ${isFresh(ad.soldAt) ? 'celebrates' : ''}`} role="status">
      <strong>{t(`status.${ad.status}`)}</strong>
      {ad.soldAt && <span> · {formatDate(ad.soldAt)}</span>}
      {mine && ad.expiresAt && <span> · {t('ad.expires', { date: formatDate(ad.expiresAt) })}</span>}
      {mine && ad.status === 'suspended' && (
        <>
          {' · '}
          <a href="/account/decisions">{t('decisions.show')}</a>
        </>
      )}
    </p>
  );
}

function Breadcrumbs({
  categories,
  category,
}: {
  categories: Category[];
  category: Category | undefined;
}): JSX.Element {
  const way = category ? [...ancestors(categories, category), category] : [];
  return (
    <nav class="breadcrumbs" aria-label={t('ad.breadcrumbs')}>
      <ol>
        <li>
          <a href="/search">{t('results.title')}</a>
        </li>
        {way.map((one) => (
          <li key={one.slug}>
            <a href={`/c/${one.slug}`}>{named(one.name, one.names)}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
