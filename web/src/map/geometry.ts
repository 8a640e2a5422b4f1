/** Boxes and circles of maps, in degrees. */
import type { MapCell } from '../data/client';

/** West, south, east and north. East of the 180th meridian, the east is above 180. */
export type Box = [number, number, number, number];

/** As far as the projection of the map goes. */
const POLE = 85;
export const WORLD = '-180,-90,180,90';
/** Public places are no finer. */
export const MAX_ZOOM = 14;
const METRES_PER_DEGREE = 111_195;

export interface Circle {
  latitude: number;
  longitude: number;
  /** In metres. */
  radius: number;
}

export function parseBox(text: string): Box {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number);
  return [west, south, east < west ? east + 360 : east, north];
}

/** As the service takes it. */
export function writeBox([west, south, east, north]: Box): string {
  const whole = east - west >= 360;
  const edges = [
    whole ? -180 : around(west),
    Math.max(-90, south),
    whole ? 180 : around(east),
    Math.min(90, north),
  ];
  return edges.map((degrees) => Number(degrees.toFixed(4)) + 0).join(',');
}

/** Between the 180th meridian and itself. */
function around(longitude: number): number {
  return longitude >= -180 && longitude <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180;
}

/** Whether two boxes differ by less than one sees. */
export function isSame(one: Box, other: Box): boolean {
  const span = Math.max(one[2] - one[0], one[3] - one[1]);
  return one.every((degrees, edge) => Math.abs(degrees - (other[edge] ?? 0)) < span / 50);
}

export function boxOfCircle({ latitude, longitude, radius }: Circle): Box {
  const height = radius / METRES_PER_DEGREE;
  const width = height / Math.cos((Math.min(Math.abs(latitude), POLE) * Math.PI) / 180);
  return [longitude - width, latitude - height, longitude + width, latitude + height];
}

/** With all cells in it, and some room around them; undefined without any. */
export function boxOfCells(cells: readonly MapCell[]): Box | undefined {
  if (cells.length === 0) return undefined;
  const latitudes = cells.map(({ latitude }) => latitude);
  const longitudes = cells.map(({ longitude }) => longitude);
  const west = Math.min(...longitudes);
  const south = Math.min(...latitudes);
  const east = Math.max(...longitudes);
  const north = Math.max(...latitudes);
  const room = Math.max(east - west, north - south, 0.5) / 12;
  return [west - room, Math.max(south - room, -POLE), east + room, Math.min(north + room, POLE)];
}

/** Where the ads of one cell are that cannot be divided any more: some hundred metres around its middle. */
export function boxOfCell({ latitude, longitude }: MapCell): string {
  return writeBox(boxOfCircle({ latitude, longitude, radius: 600 }));
}

const CORNERS = 64;

/** The circle as a polygon of GeoJSON. */
export function ring(circle: Circle): [number, number][] {
  const [west, south, east, north] = boxOfCircle(circle);
  const wide = (east - west) / 2;
  const high = (north - south) / 2;
  return Array.from({ length: CORNERS + 1 }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / CORNERS;
    return [circle.longitude + wide * Math.cos(angle), circle.latitude + high * Math.sin(angle)];
  });
}
