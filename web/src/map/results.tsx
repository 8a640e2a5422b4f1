/** Results on a map: how many ads are where, and a list of those that it shows. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { idIn } from '../data/adAddress';
import type { Ad, MapCell } from '../data/client';
import { toFault } from '../data/fault';
import { mapQuery, resultsQuery } from '../data/queries';
import { usePages, useQuery } from '../data/query';
import { currency } from '../data/site';
import { AdCard } from '../elements/adCard';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatNumber, formatPrice } from '../i18n/format';
import { type Search, toParameters } from '../results/address';
import type { DrawnMap } from './draw';
import { MapFrame } from './frame';
import {
  type Box,
  boxOfCell,
  boxOfCells,
  boxOfCircle,
  type Circle,
  isSame,
  MAX_ZOOM,
  parseBox,
  WORLD,
  writeBox,
} from './geometry';

interface Props {
  search: Search;
  /** `isStep` if the way back leads to the view before. */
  onMove: (bbox: string, isStep: boolean) => void;
  list: (search: Search) => ComponentChildren;
}

/** How long a map rests before its ads are searched, in milliseconds. */
const REST = 250;
const STEP = 2;
/** Where nothing says what to show. */
const EUROPE: Box = [-11, 36, 32, 61];

export function ResultsMap({ search, onMove, list }: Props): JSX.Element {
  const parameters = toParameters(search);
  const [drawn, setDrawn] = useState<DrawnMap | null>(null);
  /** The cell whose ads alone are listed. */
  const [only, setOnly] = useState<MapCell | null>(null);
  const cells = useQuery(mapQuery(parameters, search.bbox || WORLD));
  const pages = usePages(resultsQuery(parameters)).data?.pages;
  const listed = only ? { ...search, bbox: boxOfCell(only) } : search;
  const alone = usePages(resultsQuery(toParameters(listed))).data?.pages[0]?.results;
  const circle = circleOf(search);
  const begin = useBeginning(search, circle, cells.data?.results, cells.isError);
  const ads = useMemo(
    () => new Map(pages?.flatMap(({ results }) => results.map((ad) => [ad.pk, ad]))),
    [pages],
  );
  const moveToStep = useMoves(drawn, search, circle, onMove);
  useEffect(() => setOnly(null), [JSON.stringify(parameters)]);
  useEffect(() => {
    const leave = (): void => setOnly(null);
    drawn?.map.on('click', leave);
    return () => void drawn?.map.off('click', leave);
  }, [drawn]);

  function press(cell: MapCell): void {
    if (!drawn) return;
    const zoom = drawn.map.getZoom();
    if (cell.count === 1 || zoom >= MAX_ZOOM - 0.5) {
      setOnly(cell);
      return;
    }
    moveToStep();
    // The button is gone after the move.
    drawn.map.getCanvas().focus({ preventScroll: true });
    drawn.map.easeTo({ center: [cell.longitude, cell.latitude], zoom: Math.min(zoom + STEP, MAX_ZOOM) });
  }

  const markers = useMarkers(drawn, cells.data?.results, ads, only, press);
  const point = ({ target }: Event): void => {
    const link = target instanceof Element && target.closest('.card')?.querySelector('a');
    const pk = link ? idIn(new URL(link.href).pathname.split('/')[2]) : Number.NaN;
    for (const [element, cell] of markers.current) element.classList.toggle('pointed', cell.pk === pk);
  };
  return (
    <div class="map-columns">
      {begin ? (
        <MapFrame
          label={t('map.results')}
          {...{ begin, circle }}
          onDrawn={setDrawn}
          instead={<p class="map-impossible">{t('map.impossible')}</p>}
        >
          {only && alone && (
            <ul class="map-card">
              {alone.slice(0, 1).map((ad) => (
                <AdCard key={ad.pk} ad={ad} eager />
              ))}
            </ul>
          )}
        </MapFrame>
      ) : (
        <div class="map" />
      )}
      {/* biome-ignore lint/a11y/useKeyWithMouseEvents: onFocusIn is for keys, and bubbles. */}
      <section class="map-list" aria-label={t('results.list')} onMouseOver={point} onFocusIn={point}>
        {cells.error && <FaultNotice fault={toFault(cells.error)} />}
        {cells.data?.countExact === false && <p class="faint">{t('map.newestOnly')}</p>}
        {only && (
          <p class="split map-only">
            <strong>{t('map.only')}</strong>
            <button type="button" class="plain" onClick={() => setOnly(null)}>
              {t('map.all')}
            </button>
          </p>
        )}
        {list(listed)}
      </section>
    </div>
  );
}

function circleOf({ near, radius }: Search): Circle | undefined {
  if (!near) return undefined;
  const [latitude = 0, longitude = 0] = near.split(',').map(Number);
  return { latitude, longitude, radius };
}

/** What the map begins with: the view of the address, the place that is searched at, or all ads. */
function useBeginning(
  { bbox }: Search,
  circle: Circle | undefined,
  cells: MapCell[] | undefined,
  failed: boolean,
): Box | undefined {
  const begin = useRef<Box | undefined>(undefined);
  if (bbox) begin.current ??= parseBox(bbox);
  else if (circle) begin.current ??= boxOfCircle(circle);
  else if (cells) begin.current ??= boxOfCells(cells) ?? EUROPE;
  else if (failed) begin.current ??= EUROPE;
  return begin.current;
}

/** The view is in the address. The answer is called before a move that the way back undoes. */
function useMoves(
  drawn: DrawnMap | null,
  { bbox }: Search,
  circle: Circle | undefined,
  onMove: Props['onMove'],
): () => void {
  const latest = useRef(onMove);
  latest.current = onMove;
  const known = useRef(bbox);
  const isStep = useRef(false);
  useEffect(() => {
    if (!drawn) return;
    const { map } = drawn;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const report = (): void => {
      const bounds = map.getBounds();
      const box: Box = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
      if (known.current && isSame(box, parseBox(known.current))) return;
      known.current = writeBox(box);
      latest.current(known.current, isStep.current);
      isStep.current = false;
    };
    const rest = (): void => {
      clearTimeout(timer);
      timer = setTimeout(report, REST);
    };
    map.on('moveend', rest);
    rest();
    return () => {
      clearTimeout(timer);
      map.off('moveend', rest);
    };
  }, [drawn]);
  useEffect(() => {
    if (!drawn || !bbox || bbox === known.current) return;
    known.current = bbox;
    drawn.map.fitBounds(parseBox(bbox), { animate: false });
  }, [drawn, bbox]);
  const place = JSON.stringify(circle);
  const before = useRef(place);
  useEffect(() => {
    if (!drawn || before.current === place) return;
    before.current = place;
    if (circle) drawn.map.fitBounds(boxOfCircle(circle), { padding: 16 });
  }, [drawn, place]);
  return () => {
    isStep.current = true;
  };
}

type Markers = Map<HTMLButtonElement, MapCell>;

/** A button for each cell, which says how many ads are there; for a single one, its price if it is known. */
function useMarkers(
  drawn: DrawnMap | null,
  cells: MapCell[] | undefined,
  ads: Map<number, Ad>,
  only: MapCell | null,
  onPress: (cell: MapCell) => void,
): { current: Markers } {
  const markers = useRef<Markers>(new Map());
  const press = useRef(onPress);
  press.current = onPress;
  useEffect(() => {
    if (!drawn || !cells) return;
    const removals = cells.map((cell) => {
      const button = markerOf(cell, ads.get(cell.pk ?? 0));
      button.addEventListener('click', (event) => {
        // A press beside all cells closes what is open.
        event.stopPropagation();
        press.current(cell);
      });
      markers.current.set(button, cell);
      return drawn.mark(button, cell);
    });
    return () => {
      markers.current.clear();
      for (const remove of removals) remove();
    };
  }, [drawn, cells, ads]);
  useEffect(() => {
    for (const [element, cell] of markers.current) element.ariaPressed = String(cell === only);
  });
  return markers;
}

function markerOf(cell: MapCell, ad: Ad | undefined): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  // The list has all of them for the keyboard, and the map is zoomed by its own keys.
  button.tabIndex = -1;
  if (cell.count > 1) {
    button.className = `map-cell many digits-${String(cell.count).length}`;
    button.textContent = formatNumber(cell.count);
  } else if (ad) {
    button.className = 'map-cell one';
    button.textContent = formatPrice(
      ad.price,
      ad.priceType === 'negotiable' ? 'fixed' : ad.priceType,
      currency.value,
    );
  } else {
    button.className = 'map-cell dot';
  }
  const words = t('map.cell', { count: cell.count });
  button.ariaLabel = ad ? `${button.textContent}, ${ad.title}` : words;
  return button;
}
