/** An ad in a list: a picture card that is one link, named by the title. */
import type { JSX } from 'preact';
import type { Ad } from '../data/client';
import { currency } from '../data/site';
import { t } from '../i18n';
import { formatAge, formatDistance, formatPrice } from '../i18n/format';

export function AdCard({ ad, eager = false }: { ad: Ad; eager?: boolean }): JSX.Element {
  const where = [ad.place, ad.distance === undefined ? null : formatDistance(ad.distance)].filter(Boolean);
  return (
    <li class="card">
      <a href={`/a/${ad.pk}`} aria-labelledby={`ad-${ad.pk}`} aria-describedby={`ad-${ad.pk}-more`}>
        <span class="picture">
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
        </span>
        <span class="card-text" id={`ad-${ad.pk}-more`}>
          <span class="price">{formatPrice(ad.price, ad.priceType, currency.value)}</span>
          <span class="card-title" id={`ad-${ad.pk}`}>
            {ad.title}
          </span>
          <span class="faint one-line">{where.length > 0 ? where.join(' · ') : '\u00a0'}</span>
          <span class="faint one-line">{formatAge(ad.createdAt)}</span>
        </span>
      </a>
    </li>
  );
}

const PLACES = Array.from({ length: 8 }, (_, index) => index);

/** As large as cards, so that nothing moves when these come. */
export function CardsToCome({ count = 8 }: { count?: number }): JSX.Element {
  return (
    <ul class="cards" aria-hidden="true">
      {PLACES.slice(0, count).map((place) => (
        <li class="card to-come" key={place}>
          <span class="picture" />
          <span class="card-text" />
        </li>
      ))}
    </ul>
  );
}
