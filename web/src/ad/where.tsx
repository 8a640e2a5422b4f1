/** Where the thing is: the place, and a map that is loaded once it is scrolled to or asked for. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lazy } from '../app/lazy';
import type { ShownAd } from '../data/client';
import { has } from '../data/site';
import { Icon } from '../elements/icon';
import { t } from '../i18n';
import { EMPTY, writeSearch } from '../results/address';
import { toPoint } from '../results/places';

const PlaceMap = lazy(() => import('../map/place').then((module) => module.PlaceMap));

/** In metres: half the diagonal of what public places are rounded to, and a little more. */
const RADIUS = 1000;

export function Where({
  ad: { location, place },
}: {
  ad: Pick<ShownAd, 'location' | 'place'>;
}): JSX.Element | null {
  const frame = useRef<HTMLDivElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (isShown) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setShown(true));
    // Not before the first scroll: what is needed at the start goes first.
    const begin = (): void => {
      if (frame.current) observer.observe(frame.current);
    };
    addEventListener('scroll', begin, { once: true, passive: true });
    return () => {
      removeEventListener('scroll', begin);
      observer.disconnect();
    };
  }, [isShown]);
  if (!location || !has('map')) return null;
  const near = toPoint(location);
  return (
    <section aria-labelledby="where">
      <h2 id="where">{t('ad.where')}</h2>
      <p>
        {place && `${place} · `}
        <a href={writeSearch({ ...EMPTY, near, place: place ?? '' })}>{t('ad.nearby')}</a>
      </p>
      <div class="where" ref={frame}>
        {isShown ? (
          <PlaceMap circle={{ ...location, radius: RADIUS }} place={place ?? ''} />
        ) : (
          <button type="button" onClick={() => setShown(true)}>
            <Icon name="map" />
            {t('ad.showMap')}
          </button>
        )}
      </div>
      {isShown && <p class="faint">{t('ad.within')}</p>}
    </section>
  );
}
