/** An ad in a list: a picture card that is one link, named by the title. */
import type { JSX } from 'preact';
import type { Ad } from '../data/client';
import { currency } from '../data/site';
import { t } from '../i18n';
import { formatAge, formatDistance, formatPrice } from '../i18n/format';
import { Heart } from './heart';

export function AdCard({ ad, eager = false }: { ad: Ad; eager?: boolean }): JSX.Element {
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
        {ad.status === 'reserved' && <span class="badge">{t('status.reserved')}</span>}
        {ad.imageCount > 1 && (
          <span class="pictures-count" aria-hidden="true">
            {ad.imageCount}
          </span>
        )}
      </div>
      <div class="card-text">
        <span class="price">{formatPrice(ad.price, ad.priceType, currency.value)}</span>
        {/* Its name is its text alone; the whole card takes the press. */}
        <a class="card-title" href={`/a/${ad.pk}`}>
          {ad.title}
        </a>
        <span class="faint one-line">{where.length > 0 ? where.join(' · ') : '\u00a0'}</span>
        <span class="faint one-line">{formatAge(ad.createdAt)}</span>
      </div>
      <Heart ad={ad.pk} author={ad.author} title={ad.title} />
    </li>
  );
}

const PLACES = Array.from({ length: 8 }, (_, index) => index);

/** As large as cards, so that nothing moves when they are loaded. */
export function CardsToCome({ count = 8 }: { count?: number }): JSX.Element {
  return (
    <ul class="cards" aria-hidden="true">
      {PLACES.slice(0, count).map((place) => (
        <li class="card to-come" key={place}>
          <div class="picture" />
          <div class="card-text" />
        </li>
      ))}
    </ul>
  );
}
