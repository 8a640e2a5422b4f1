import type { JSX } from 'preact';
import { toggleFavorite, useFavorite } from '../data/favorites';
import { user } from '../data/session';
import { t } from '../i18n';
import { Icon } from './icon';

/** Keeps an ad as a favorite. Nobody keeps an ad of their own. */
export function Heart({
  ad,
  author,
  title,
}: {
  ad: number;
  author: number | undefined;
  /** Names the button where there are several; without it the button has words. */
  title?: string;
}): JSX.Element | null {
  const on = useFavorite(ad);
  if (user.value && user.value.id === author) return null;
  const name =
    title === undefined ? {} : { 'aria-label': t('favorite.named', { title }), 'aria-pressed': on };
  return (
    <button type="button" class={on ? 'heart on' : 'heart'} {...name} onClick={() => toggleFavorite(ad)}>
      <Icon name="heart" />
      {title === undefined && t(on ? 'favorite.kept' : 'favorite.keep')}
    </button>
  );
}
