import type { JSX } from 'preact';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { t } from '../i18n';
import { formatDistance } from '../i18n/format';
import { type FilterProps, RADII } from './address';
import { findPlace, textOf, toPoint, townAt, usePlaces } from './places';

type Trouble = 'near.denied' | 'near.failed' | 'near.unknown';

/** A place that is chosen anew puts the nearest first, whatever the order was. */
export const NEAREST = { sort: '' } as const;

/** The browser's position, or why there is none. */
export function locate(): Promise<{ point: string } | Exclude<Trouble, 'near.unknown'>> {
  return new Promise((resolve) => {
    if (!('geolocation' in navigator)) return resolve('near.failed');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve({ point: toPoint(coords) }),
      (error) => resolve(error.code === error.PERMISSION_DENIED ? 'near.denied' : 'near.failed'),
      { maximumAge: 5 * 60_000, timeout: 10_000 },
    );
  });
}

/** "Near me" by the browser's position, or near a place by its name. */
export function NearFilter({ search, onChange }: FilterProps): JSX.Element {
  const [text, setText] = useState(search.place);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const list = useId();
  // Before anything can be typed, which it would replace.
  useLayoutEffect(() => setText(search.place), [search.place]);

  const places = usePlaces(text === search.place ? '' : text);

  async function choose(name: string): Promise<void> {
    setText(name);
    setTrouble(null);
    if (!name.trim()) {
      if (search.near) onChange({ ...search, near: '', place: '' });
      return;
    }
    const place = places.get(name) ?? (await findPlace(name).catch(() => undefined));
    if (place) onChange({ ...search, ...NEAREST, near: toPoint(place), place: textOf(place) });
    else setTrouble('near.unknown');
  }

  async function nearMe(): Promise<void> {
    setBusy(true);
    setTrouble(null);
    const found = await locate();
    const town = typeof found === 'string' ? undefined : await townAt(found.point);
    setBusy(false);
    if (typeof found === 'string') setTrouble(found);
    else onChange({ ...search, ...NEAREST, near: found.point, place: town?.name ?? '' });
  }

  return (
    <fieldset data-filter="near" tabIndex={-1}>
      <legend>{t('near.title')}</legend>
      {'geolocation' in navigator && (
        <button
          type="button"
          disabled={busy}
          aria-pressed={search.near !== '' && !search.place}
          onClick={() => void nearMe()}
        >
          {t(busy ? 'near.locating' : 'near.me')}
        </button>
      )}
      <label class="labelled">
        <span>{t('near.town')}</span>
        <input
          type="text"
          list={list}
          autocomplete="off"
          maxLength={120}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={(event) => void choose(event.currentTarget.value)}
        />
      </label>
      <datalist id={list}>
        {[...places].map(([name, place]) => (
          <option
            key={name}
            value={name}
            label={[name, place.region, place.country].filter(Boolean).join(', ')}
          />
        ))}
      </datalist>
      {trouble && (
        <p class="error" role="alert">
          {t(trouble)}
        </p>
      )}
      {search.near && (
        <>
          <label class="labelled">
            <span>{t('near.within')}</span>
            <select
              value={String(search.radius)}
              onChange={(event) => onChange({ ...search, radius: Number(event.currentTarget.value) })}
            >
              {RADII.map((radius) => (
                <option key={radius} value={radius} selected={radius === search.radius}>
                  {formatDistance(radius)}
                </option>
              ))}
            </select>
          </label>
          <button type="button" class="plain" onClick={() => onChange({ ...search, near: '', place: '' })}>
            {t('near.anywhere')}
          </button>
        </>
      )}
    </fieldset>
  );
}
