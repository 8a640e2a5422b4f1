/** An ad in a list: a picture card that is one link, named by the title. */
import type { JSX } from 'preact';
import { valueText } from '../ad/attributes';
import { adAddress } from '../data/adAddress';
import type { Ad } from '../data/client';
import { categoriesQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { named, t } from '../i18n';
import { formatAge, formatDate, formatDistance } from '../i18n/format';
import { Heart } from './heart';
import { Icon } from './icon';
import { Price } from './price';

/** How long an ad is called new, in milliseconds. */
const NEW = 24 * 60 * 60_000;

/** So many values of attributes are on a card. */
const FACTS = 3;

/** What a card shows. One that this device remembers may be from before cards had attributes. */
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
> &
  Partial<Pick<Ad, 'category' | 'attributes'>>;

/** A value that says little without its name: a short word, or a number that has no unit and is no year. */
const BARE = /^(.{1,2}|\d{3}|\d+\.\d+)$/;

/** The first values that the title does not have, without words and yes or no. */
function useFacts({ category, attributes = {}, ...ad }: CardAd): string {
  const definition = useQuery(categoriesQuery()).data?.find(({ slug }) => slug === category);
  const title = ad.title.toLowerCase();
  return (definition?.attributes ?? [])
    .toSorted((one, other) => Number(one.inherited) - Number(other.inherited))
    .filter(({ name, type }) => attributes[name] != null && type !== 'string' && type !== 'boolean')
    .map((attribute) => ({ attribute, text: valueText(attribute, attributes[attribute.name]) }))
    .filter(({ text }) => !title.includes(text.toLowerCase()))
    .slice(0, FACTS)
    .map(({ attribute, text }) =>
      BARE.test(text) ? `${named(attribute.label ?? attribute.name, attribute.labels)} ${text}` : text,
    )
    .join(' · ');
}

export function AdCard({ ad, eager = false }: { ad: CardAd; eager?: boolean }): JSX.Element {
  const facts = useFacts(ad);
  const where = [
    ad.place,
    ad.distance === undefined ? null : formatDistance(ad.distance),
    formatAge(ad.createdAt),
  ].filter(Boolean);
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
        {facts && (
          <span class="faint one-line" dir="auto">
            {facts}
          </span>
        )}
        <span class="faint one-line" dir="auto" title={formatDate(ad.createdAt)}>
          {where.join(' · ')}
        </span>
      </div>
      <Heart ad={ad.pk} author={ad.author} title={ad.title} />
    </li>
  );
}

function Standing({ ad }: { ad: CardAd }): JSX.Element | null {
  if (ad.status === 'reserved') return <span class="tag">{t('status.reserved')}</span>;
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
