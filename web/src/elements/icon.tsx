import type { JSX } from 'preact';
import categorySprite from '../../../src/adsvc/schemas/category-icons.svg?url';
import type { Category } from '../data/client';
import sprite from './icons.svg?url';

export { categorySprite };

/** The symbols of icons.svg. */
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
export function Icon({ name, size = 20 }: { name: IconName; size?: number }): JSX.Element {
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

/** The icon that administrators have chosen for a category, of the sprite of the service. */
export function CategoryIcon({
  icon,
  color,
  size = 28,
}: Partial<Pick<Category, 'icon' | 'color'>> & { size?: number }): JSX.Element {
  if (!icon) return <Icon name="tag" size={size} />;
  return (
    <svg class="icon" width={size} height={size} aria-hidden="true" {...(color ? { color } : {})}>
      <use href={`${categorySprite}#${icon}`} />
    </svg>
  );
}
