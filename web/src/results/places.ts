/** Places for searches nearby: those of ads seen so far, and larger cities. */
import type { Ad } from '../data/client';
import { CITIES } from '../elements/cities';

export interface Place {
  name: string;
  latitude: number;
  longitude: number;
}

const seen = new Map<string, Place>();

export function rememberPlaces(ads: readonly Ad[]): void {
  for (const ad of ads) {
    if (ad.place && ad.location) seen.set(ad.place.toLocaleLowerCase(), { name: ad.place, ...ad.location });
  }
}

export function knownPlaces(): Place[] {
  const cities = CITIES.filter((city) => !seen.has(city.name.toLocaleLowerCase()));
  return [...cities, ...seen.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/** The place with that name, or the only one whose name begins so. */
export function findPlace(text: string): Place | undefined {
  const wanted = text.trim().toLocaleLowerCase();
  if (!wanted) return undefined;
  const places = knownPlaces();
  const exact = places.find((place) => place.name.toLocaleLowerCase() === wanted);
  if (exact) return exact;
  const beginning = places.filter((place) => place.name.toLocaleLowerCase().startsWith(wanted));
  return beginning.length === 1 ? beginning[0] : undefined;
}

/** The place whose position was searched by; `near` may be spelled in another way than `toPoint` does. */
export function placeAt(near: string): Place | undefined {
  const [latitude, longitude] = near.split(',').map(Number);
  const point = toPoint({ latitude: latitude ?? 0, longitude: longitude ?? 0 });
  return knownPlaces().find((place) => toPoint(place) === point);
}

/** As the service takes it: six decimals are a tenth of a metre, three are enough to search by. */
export function toPoint(place: { latitude: number; longitude: number }): string {
  return `${Number(place.latitude.toFixed(3))},${Number(place.longitude.toFixed(3))}`;
}
