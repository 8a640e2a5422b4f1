/** Places of the service, for searches nearby and for ads; and the last one that was chosen. */
import { effect, signal } from '@preact/signals';
import { client, type Place } from '../data/client';
import { placesQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';

/** The fewest letters that the service searches by. */
const SHORTEST = 2;

/** What an input offers: the texts of places, each with its place. Equal names have their region. */
export function offered(places: readonly Place[]): Map<string, Place> {
  const found = new Map<string, Place>();
  for (const place of places) {
    const name = textOf(place);
    const [text = name] = [name, `${name}, ${place.region ?? place.country}`].filter(
      (one) => !found.has(one),
    );
    if (!found.has(text)) found.set(text, place);
  }
  return found;
}

export function textOf({ name, postcode }: Place): string {
  return postcode ? `${postcode} ${name}` : name;
}

/** Places for what is typed. */
export function usePlaces(text: string): Map<string, Place> {
  const q = text.trim();
  const { data } = useQuery(placesQuery(q, q.length >= SHORTEST && q.length <= 60));
  return offered(data ?? []);
}

/** The best place for a text; nothing where the service knows none. */
export async function findPlace(text: string): Promise<Place | undefined> {
  const q = text.trim();
  if (q.length < SHORTEST || q.length > 60) return undefined;
  return (await client.findPlaces({ q, limit: 1 })).results[0];
}

/** The town at a point; nothing where none is near, or the service does not answer. */
export async function townAt(near: string): Promise<Place | undefined> {
  try {
    return await client.nearestPlace({ near });
  } catch {
    return undefined;
  }
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
