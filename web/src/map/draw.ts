/** Draws maps: MapLibre, on the operator's tiles or on the coasts and borders that ship with us. */
import {
  addProtocol,
  type LayerSpecification,
  Map as MapLibre,
  type MapOptions,
  Marker,
  ScaleControl,
  type SourceSpecification,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl';
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import 'maplibre-gl/dist/maplibre-gl.css';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlasAddress from 'world-atlas/countries-50m.json?url';
import { operatorMap } from '../data/site';
import { isDark, theme } from '../data/theme';
import { language } from '../i18n';
import { CITIES } from './cities';
import { type Box, type Circle, MAX_ZOOM, ring } from './geometry';

setWorkerUrl(worker);

const FONT = ['Manrope', 'sans-serif'];
const SCHEME = '(prefers-color-scheme: dark)';

/** A ground to draw on. */
interface Ground {
  sources: Record<string, SourceSpecification>;
  layers: LayerSpecification[];
}

export interface DrawnMap {
  map: MapLibre;
  showCircle: (circle: Circle | undefined) => void;
  /** Puts an element on the map; the answer removes it. */
  mark: (element: HTMLElement, at: { longitude: number; latitude: number }) => () => void;
  remove: () => void;
}

export interface DrawOptions {
  begin: Box;
  circle?: Circle | undefined;
  /** Not to be moved. */
  still?: boolean;
  label: string;
}

/** Throws where there is no WebGL, or none is left. */
export async function draw(
  container: HTMLElement,
  { begin, circle, still = false, label }: DrawOptions,
): Promise<DrawnMap> {
  const ground = await chooseGround();
  const options: MapOptions = {
    container,
    style: styleOf(ground, circle),
    bounds: begin,
    fitBoundsOptions: { padding: still ? 24 : 0, maxZoom: MAX_ZOOM },
    maxZoom: MAX_ZOOM,
    minZoom: 1,
    interactive: !still,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    fadeDuration: 0,
    locale: { 'Map.Title': label },
  };
  const map = new MapLibre(options);
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  if (!still) map.addControl(new ScaleControl({ maxWidth: 96 }), 'bottom-left');
  let shown = circle;
  const restyle = (): void => {
    map.setStyle(styleOf(ground, shown));
  };
  const scheme = matchMedia(SCHEME);
  scheme.addEventListener('change', restyle);
  let drawn = theme.peek();
  const endTheme = theme.subscribe((now) => {
    if (now === drawn) return;
    drawn = now;
    restyle();
  });
  return {
    map,
    showCircle(next) {
      shown = next;
      restyle();
    },
    mark(element, { longitude, latitude }) {
      const marker = new Marker({ element }).setLngLat([longitude, latitude]).addTo(map);
      return () => marker.remove();
    },
    remove() {
      scheme.removeEventListener('change', restyle);
      endTheme();
      map.remove();
    },
  };
}

function styleOf(ground: (dark: boolean) => Ground, circle: Circle | undefined): StyleSpecification {
  const { sources, layers } = ground(isDark());
  const geometry = { type: 'Polygon' as const, coordinates: circle ? [ring(circle)] : [] };
  const data = { type: 'Feature' as const, properties: {}, geometry };
  return {
    version: 8,
    sources: { ...sources, circle: { type: 'geojson', data } },
    layers: [
      ...layers,
      {
        id: 'circle-fill',
        type: 'fill',
        source: 'circle',
        paint: { 'fill-color': token('accent'), 'fill-opacity': 0.12 },
      },
      {
        id: 'circle-line',
        type: 'line',
        source: 'circle',
        paint: { 'line-color': token('accent'), 'line-width': 2 },
      },
    ],
  };
}

const token = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Where the operator's tiles do not answer, a map is still a map. */
async function chooseGround(): Promise<(dark: boolean) => Ground> {
  if (!operatorMap) return atlas();
  try {
    return await tiles(operatorMap.tiles);
  } catch {
    return atlas();
  }
}

/** Coasts and borders (Natural Earth), and the names of larger cities. */
async function atlas(): Promise<() => Ground> {
  const answer = await fetch(atlasAddress);
  if (!answer.ok) throw new Error(`${atlasAddress}: ${answer.status}`);
  const topology = (await answer.json()) as Topology<{ countries: GeometryCollection }>;
  const { countries } = topology.objects;
  const land = feature(topology, countries);
  const borders = mesh(topology, countries, (one, other) => one !== other);
  const cities: GeoJSON.FeatureCollection = {
    type: 'FeatureCollection',
    features: CITIES.map(({ name, latitude, longitude }) => ({
      type: 'Feature',
      properties: { name },
      geometry: { type: 'Point', coordinates: [longitude, latitude] },
    })),
  };
  return () => ({
    sources: {
      land: { type: 'geojson', data: land, tolerance: 0.2 },
      borders: { type: 'geojson', data: borders },
      cities: { type: 'geojson', data: cities },
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': token('map-water') } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': token('map-land') } },
      {
        id: 'borders',
        type: 'line',
        source: 'borders',
        paint: {
          'line-color': token('map-line'),
          'line-width': ['interpolate', ['linear'], ['zoom'], 3, 0.6, 9, 1.6],
        },
      },
      {
        id: 'cities',
        type: 'symbol',
        source: 'cities',
        layout: {
          'text-field': ['get', 'name'],
          'text-font': FONT,
          // Below what stands on the place.
          'text-anchor': 'top',
          'text-offset': [0, 1],
          'text-size': ['interpolate', ['linear'], ['zoom'], 4, 11, 9, 15],
        },
        paint: {
          'text-color': token('faint'),
          'text-halo-color': token('map-land'),
          'text-halo-width': 1.5,
        },
      },
    ],
  });
}

async function tiles(address: string): Promise<(dark: boolean) => Ground> {
  const path = new URL(address).pathname;
  if (!path.endsWith('.pmtiles')) {
    const source = { tiles: [address] };
    // Pictures are of half the size, so that they are those of the next zoom.
    return /\.(pbf|mvt)$/.test(path)
      ? vector({ ...source, maxzoom: MAX_ZOOM })
      : raster({ ...source, maxzoom: MAX_ZOOM + 1 });
  }
  const { PMTiles, Protocol, TileType } = await import('pmtiles');
  const protocol = new Protocol();
  const file = new PMTiles(address);
  protocol.add(file);
  addProtocol('pmtiles', protocol.tile);
  const source = { url: `pmtiles://${address}` };
  return (await file.getHeader()).tileType === TileType.Mvt ? vector(source) : raster(source);
}

type Tiles = { tiles: string[]; maxzoom: number } | { url: string };

/** Pictures. They are made for light pages, so a dark one shows them darker. */
function raster(source: Tiles): (dark: boolean) => Ground {
  return (dark) => ({
    sources: { ground: { type: 'raster', tileSize: 256, ...source } },
    layers: [
      {
        id: 'ground',
        type: 'raster',
        source: 'ground',
        paint: dark ? { 'raster-brightness-max': 0.7, 'raster-saturation': -0.3 } : {},
      },
    ],
  });
}

/** Shapes in the schema of Protomaps, without what needs pictures or fonts from elsewhere. */
async function vector(source: Tiles): Promise<(dark: boolean) => Ground> {
  const { layers, namedFlavor } = await import('@protomaps/basemaps');
  return (dark) => ({
    sources: { ground: { type: 'vector', ...source } },
    layers: (
      layers('ground', namedFlavor(dark ? 'dark' : 'light'), { lang: language.value }) as LayerSpecification[]
    )
      .filter((layer) => layer.type !== 'symbol' || !layer.layout?.['icon-image'])
      .map((layer) =>
        layer.type === 'symbol' ? { ...layer, layout: { ...layer.layout, 'text-font': FONT } } : layer,
      ),
  });
}
