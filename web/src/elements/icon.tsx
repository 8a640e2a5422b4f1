import type { JSX } from 'preact';
import sprite from './icons.svg?url';

/** The symbols of icons.svg, without those of categories. */
export type IconName =
  | 'bell'
  | 'bookmark'
  | 'camera'
  | 'check'
  | 'clock'
  | 'close'
  | 'crop'
  | 'down'
  | 'edit'
  | 'eye'
  | 'filter'
  | 'flag'
  | 'gift'
  | 'globe'
  | 'grip'
  | 'heart'
  | 'house'
  | 'key'
  | 'leave'
  | 'left'
  | 'link'
  | 'list'
  | 'map'
  | 'minus'
  | 'more'
  | 'offline'
  | 'phone'
  | 'pictures'
  | 'place'
  | 'plus'
  | 'right'
  | 'rotate'
  | 'search'
  | 'send'
  | 'share'
  | 'shield'
  | 'star'
  | 'tag'
  | 'talk'
  | 'trash'
  | 'up'
  | 'user';

/** Always beside words, or in a control that has a name. */
export function Icon({
  name,
  size = 20,
}: {
  /** `of-` and the slug of a starter category are names too: see `CategoryIcon`. */
  name: IconName | `of-${string}`;
  size?: number;
}): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} aria-hidden="true" focusable="false">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}

/** A person's picture, or the first letter of the name. */
export function Face({
  image,
  name,
  size,
}: {
  image: string | null | undefined;
  name: string;
  size: number;
}): JSX.Element {
  if (image) return <img class="avatar" src={image} alt="" width={size} height={size} />;
  return (
    <svg class="avatar" width={size} height={size} viewBox="0 0 48 48" aria-hidden="true" focusable="false">
      <text x="24" y="31">
        {[...name][0]?.toLocaleUpperCase()}
      </text>
    </svg>
  );
}

/** Starter categories, each of which has an icon of its own. */
const STARTERS = new Set(
  (
    'vehicles cars motorcycles bicycles commercial-vehicles vehicle-parts property homes flats-for-rent ' +
    'flats-for-sale houses-for-rent houses-for-sale rooms holiday-homes land commercial-property electronics ' +
    'phones computers tv-audio cameras games home furniture appliances garden tools clothing womens-clothing ' +
    'mens-clothing childrens-clothing shoes family toys baby pets leisure books sports instruments collectables ' +
    'jobs jobs-offered jobs-wanted services craft lessons transport care'
  ).split(' '),
);

/** The icon of a category, or of the nearest one above it that has one. */
export function CategoryIcon({
  slug,
  categories,
  size,
}: {
  slug: string | null;
  categories: readonly { slug: string; parent: string | null }[];
  size?: number;
}): JSX.Element {
  const seen = new Set<string>();
  let at = slug;
  while (at !== null && !STARTERS.has(at) && !seen.has(at)) {
    seen.add(at);
    const here = at;
    at = categories.find((one) => one.slug === here)?.parent ?? null;
  }
  return <Icon name={at !== null && STARTERS.has(at) ? `of-${at}` : 'tag'} {...(size ? { size } : {})} />;
}
