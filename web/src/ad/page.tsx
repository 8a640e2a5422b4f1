/** One ad: its details; after login the seller's contact; for the author the possible steps. */
import type { JSX } from 'preact';
import { NotFoundPage } from '../app/notFound';
import type { PageProps } from '../app/router';
import type { AdDetails, Category, ExtendedAd, ShownAd } from '../data/client';
import { type Fault, toFault } from '../data/fault';
import { adQuery, categoriesQuery, detailsQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { currency } from '../data/site';
import { Heart } from '../elements/heart';
import { Icon } from '../elements/icon';
import { FaultNotice } from '../elements/notice';
import { Page, useTitle } from '../elements/page';
import { named, t } from '../i18n';
import { formatDate, formatPrice } from '../i18n/format';
import { ancestors } from '../results/categoryTree';
import { Attributes } from './attributes';
import { Comments } from './comments';
import { Gallery } from './gallery';
import { OwnerActions } from './ownerActions';
import { ReportButton } from './report';
import { Seller } from './seller';
import { Similar } from './similar';

export function AdPage({ parameters }: PageProps): JSX.Element {
  const id = Number(parameters.id);
  if (!Number.isSafeInteger(id) || id < 1) return <NotFoundPage />;
  return <AdById id={id} />;
}

function AdById({ id }: { id: number }): JSX.Element {
  const me = user.value;
  const details = useQuery(detailsQuery(id));
  // Loaded together with the ad: content that comes later would move the page.
  const categories = useQuery(categoriesQuery());
  const asMember = useQuery(adQuery(id, Boolean(me)));
  // After a logout, the contact that was loaded before is not shown.
  const full = me ? asMember : { data: undefined, error: null, isPending: false };
  const ad: ShownAd | undefined = full.data ?? details.data;
  if (ad && categories.isPending) return <AdToCome />;
  if (ad) return <Shown id={id} ad={ad} details={details.data} full={full.data} fullError={full.error} />;
  const waits = me === undefined || details.isPending || (me && full.isPending);
  if (waits) return <AdToCome />;
  return <Missing fault={toFault(full.error ?? details.error)} />;
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

function Missing({ fault }: { fault: Fault }): JSX.Element {
  if (fault.status === 410) {
    return (
      <Page title={t('ad.gone')} narrow>
        <p>{t('ad.goneText')}</p>
        <p>
          <a href="/search">{t('notFound.search')}</a>
        </p>
      </Page>
    );
  }
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
  return (
    <article class="page ad">
      <Breadcrumbs {...{ categories, category }} />
      <div class="ad-columns">
        <Gallery images={ad.images} fallback={ad.image} title={ad.title} />
        <div class="ad-side">
          <h1 tabIndex={-1}>{ad.title}</h1>
          <p class="price large">{formatPrice(ad.price, ad.priceType, currency.value)}</p>
          <p class="faint">
            {ad.place && (
              <span class="place">
                <Icon name="place" />
                {ad.place}
                {' · '}
              </span>
            )}
            {t('ad.posted', { date: formatDate(ad.createdAt) })}
          </p>
          <Standing ad={ad} mine={mine} />
          {!mine && <Heart ad={id} author={authorId} />}
          {mine && <Popularity count={full?.favoriteCount} />}
          {(mine || me?.role === 'ADMIN') && <OwnerActions id={id} status={ad.status} />}
          {!mine && <Seller {...{ id, details, full, fullError }} />}
          {!mine && <ReportButton ad={id} />}
        </div>
        <div class="ad-body">
          <Attributes values={ad.attributes} category={category} />
          <section aria-labelledby="description">
            <h2 id="description">{t('ad.description')}</h2>
            <p class="as-written">{ad.description}</p>
          </section>
          <Comments id={id} />
        </div>
      </div>
      <Similar id={id} ad={ad} />
    </article>
  );
}

function Popularity({ count }: { count: number | undefined }): JSX.Element | null {
  return count ? <p class="faint">{t('favorite.count', { count })}</p> : null;
}

/** Whether the thing is still available. */
function Standing({ ad, mine }: { ad: ShownAd; mine: boolean }): JSX.Element | null {
  if (ad.status === 'active' && !(mine && ad.expiresAt)) return null;
  return (
    <p class={`standing ${ad.status}`} role="status">
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
