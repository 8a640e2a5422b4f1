/** An ad in a list: a picture card that is one link, named by the title. */
import type { JSX } from 'preact';
import { adAddress } from '../data/adAddress';
import type { Ad } from '../data/client';
import { t } from '../i18n';
import { formatAge, formatDistance } from '../i18n/format';
import { Heart } from './heart';
import { Icon } from './icon';
import { Price } from './price';

/** How long an ad is called new, in milliseconds. */
const NEW = 24 * 60 * 60_000;

/** What a card shows. */
export type CardAd = Pick<
  Ad,
  | 'pk'
  | 'author'
  | 'title'
  | 'price'
  | 'priceType'
  | 'thumbnail'
  | 'place'
  | 'status'
  | 'imageCount'
  | 'createdAt'
  | 'distance'
>;

export function AdCard({ ad, eager = false }: { ad: CardAd; eager?: boolean }): JSX.Element {
  const where = [ad.place, ad.distance === undefined ? null : formatDistance(ad.distance)].filter(Boolean);
  return (
    <li class="card">
      <div class="picture">
        <img
          src={ad.thumbnail}
          alt=""
          width="320"
          height="240"
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          {...(eager ? { fetchpriority: 'high' } : {})}
        />
        <Standing ad={ad} />
        {ad.imageCount > 1 && (
          <span class="pictures-count" aria-hidden="true">
            <Icon name="camera" size={14} />
            {ad.imageCount}
          </span>
        )}
      </div>
      <div class="card-text">
        <span class="price one-line">
          <Price of={ad} />
        </span>
        {/* Its name is its text alone; the whole card takes the press. */}
        <a class="card-title" dir="auto" href={adAddress(ad)}>
          {ad.title}
        </a>
        <span class="faint one-line" dir="auto">
          {where.length > 0 ? where.join(' · ') : '\u00a0'}
        </span>
        <span class="faint one-line">{formatAge(ad.createdAt)}</span>
      </div>
      <Heart ad={ad.pk} author={ad.author} title={ad.title} />
    </li>
  );
}

function Standing({ ad }: { ad: CardAd }): JSX.Element | null {
  if (ad.status === 'reserved') {
    return (
      <span class="veil">
        <span class="badge">{t('status.reserved')}</span>
      </span>
    );
  }
  if (Date.now() - ad.createdAt < NEW) return <span class="tag accent">{t('card.new')}</span>;
  return null;
}

const PLACES = Array.from({ length: 24 }, (_, index) => index);

/** As large as cards, so that nothing moves when they are loaded. */
export function CardsToCome({ count = 8 }: { count?: number }): JSX.Element {
  return (
    <ul class="cards" aria-hidden="true">
      {PLACES.slice(0, count).map((place) => (
        <li class="card to-come" key={place}>
          <div class="picture" />
          <div class="card-text">
            <span class="line-to-come short" />
            <span class="line-to-come" />
            <span class="line-to-come middle" />
            <span class="line-to-come short" />
          </div>
        </li>
      ))}
    </ul>
  );
}
