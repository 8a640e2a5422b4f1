/** A map in its place on a page: loaded, zoomed by buttons, with whose map it is, and a sentence where it cannot be. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { operatorMap } from '../data/site';
import { Icon } from '../elements/icon';
import { addMessages, t } from '../i18n';
import de from '../i18n/map/de.json';
import en from '../i18n/map/en.json';
import ru from '../i18n/map/ru.json';
import '../styles/map.css';
import type { DrawnMap, DrawOptions } from './draw';

addMessages({ en, de, ru });

interface Props extends DrawOptions {
  onDrawn?: (drawn: DrawnMap) => void;
  /** On the map. */
  children?: ComponentChildren;
  /** Shown where there is no map. */
  instead?: ComponentChildren;
}

/** `begin` counts once. */
export function MapFrame({ onDrawn, instead = null, children, ...options }: Props): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<DrawnMap | 'coming' | 'impossible'>('coming');
  useEffect(() => {
    let result: DrawnMap | undefined;
    let gone = false;
    async function begin(): Promise<void> {
      if (!place.current || !hasWebGL()) throw new Error('There is no WebGL.');
      const { draw } = await import('./draw');
      if (gone) return;
      result = await draw(place.current, options);
      if (gone) return result.remove();
      setDrawn(result);
      onDrawn?.(result);
    }
    begin().catch(() => setDrawn('impossible'));
    return () => {
      gone = true;
      result?.remove();
    };
  }, []);
  const circle = JSON.stringify(options.circle);
  useEffect(() => {
    if (typeof drawn === 'object') drawn.showCircle(options.circle);
  }, [circle]);
  if (drawn === 'impossible') return <>{instead}</>;
  return (
    <div class="map">
      <div class="map-canvas" ref={place} />
      {!options.still && typeof drawn === 'object' && (
        <div class="map-zoom">
          <button
            type="button"
            class="icon-only"
            aria-label={t('map.zoomIn')}
            onClick={() => drawn.map.zoomIn()}
          >
            <Icon name="plus" />
          </button>
          <button
            type="button"
            class="icon-only"
            aria-label={t('map.zoomOut')}
            onClick={() => drawn.map.zoomOut()}
          >
            <Icon name="minus" />
          </button>
        </div>
      )}
      <p class="map-source">{attribution(operatorMap?.attribution ?? NATURAL_EARTH)}</p>
      {children}
    </div>
  );
}

const NATURAL_EARTH = '[Natural Earth](https://www.naturalearthdata.com/)';
const LINK = /\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/;

/** `[a word](https://…)` is a link. */
export function attribution(text: string): ComponentChildren {
  return text.split(new RegExp(LINK, 'g')).map((part, index, parts) => {
    if (index % 3 === 2) return null;
    if (index % 3 === 0) return part;
    return (
      <a key={part} href={parts[index + 1] ?? ''} target="_blank" rel="noopener">
        {part}
      </a>
    );
  });
}

/** Asked before the code that draws is loaded. */
function hasWebGL(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
