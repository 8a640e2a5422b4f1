/** Places for searches nearby: those of ads seen so far, and larger cities. */
import { effect, signal } from '@preact/signals';
import type { Ad } from '../data/client';
import { user } from '../data/session';
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

/** The place of the last search nearby, on this device only. */
export interface ChosenPlace {
  near: string;
  place: string;
  radius: number;
}

const KEY = 'place';

function keptPlace(): ChosenPlace | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    const { near, place, radius } = found ?? {};
    if (typeof near !== 'string' || typeof place !== 'string' || typeof radius !== 'number') return null;
    return { near, place, radius };
  } catch {
    return null; // Storage may be switched off.
  }
}

export const chosenPlace = signal<ChosenPlace | null>(keptPlace());

/** `null` forgets it. */
export function choosePlace(place: ChosenPlace | null): void {
  chosenPlace.value = place;
  try {
    if (place) localStorage.setItem(KEY, JSON.stringify(place));
    else localStorage.removeItem(KEY);
  } catch {
    // It lasts as long as the page.
  }
}

/** The next person at this machine does not see it. */
let account: number | undefined;
effect(() => {
  const next = user.value?.id;
  if (account !== undefined && next !== account) choosePlace(null);
  account = next;
});
