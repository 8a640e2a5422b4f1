/** The state of a search is its address: filters and order are read from it and written to it. */
import { type PriceType, type Sort, valuesOf } from '../data/client';

export const SORTS = valuesOf<Sort>({
  '-created': true,
  price: true,
  '-price': true,
  relevance: true,
  distance: true,
  created: true,
});
export const PRICE_TYPES = valuesOf<PriceType>({
  fixed: true,
  negotiable: true,
  free: true,
  onRequest: true,
});
/** In metres, as the service takes them. */
export const RADII = [5000, 10_000, 25_000, 30_000, 50_000, 100_000, 250_000] as const;
const USUAL_RADIUS = 25_000;

export interface Search {
  q: string;
  category: string;
  minPrice: string;
  maxPrice: string;
  priceType: PriceType | '';
  /** By name of the attribute: alternative values, or one range such as `2015..`. */
  attributes: Record<string, string>;
  /** `52.52,13.405` */
  near: string;
  /** What is shown for `near`; empty for the browser's own position. */
  place: string;
  /** In metres. */
  radius: number;
  sort: Sort | '';
  author: string;
  /** How the results are shown. */
  view: 'map' | '';
  /** What the map shows: west, south, east and north in degrees. Empty where it has not been moved yet. */
  bbox: string;
}

/** The props of filters: the present search, and a callback for the next one. */
export interface FilterProps {
  search: Search;
  onChange: (search: Search) => void;
}

export interface ListParameters {
  q?: string;
  category?: string;
  minPrice?: number;
  maxPrice?: number;
  priceType?: PriceType;
  attr?: string[];
  near?: string;
  radius?: number;
  sort?: Sort;
  author?: number;
  bbox?: string;
  limit?: number;
  cursor?: string;
}

export const EMPTY: Search = {
  q: '',
  category: '',
  minPrice: '',
  maxPrice: '',
  priceType: '',
  attributes: {},
  near: '',
  place: '',
  radius: USUAL_RADIUS,
  sort: '',
  author: '',
  view: '',
  bbox: '',
};

const SLUG = /^[a-z0-9-]{1,64}$/;
const POINT = /^-?\d{1,3}(\.\d{1,15})?,-?\d{1,3}(\.\d{1,15})?$/;
const BOX = /^-?\d{1,3}(\.\d{1,15})?(,-?\d{1,3}(\.\d{1,15})?){3}$/;
const DIGITS = /^\d{1,10}$/;
const LARGEST_PRICE = 2_147_483_647;

function oneOf<Value extends string>(values: readonly Value[], given: string | null): Value | '' {
  return values.find((value) => value === given) ?? '';
}

function matching(pattern: RegExp, given: string | null): string {
  return given !== null && pattern.test(given) ? given : '';
}

function digits(given: string | null): string {
  return given !== null && DIGITS.test(given) && Number(given) <= LARGEST_PRICE ? given : '';
}

/** The search of an address. Invalid values are left out, because people also type addresses. */
export function readSearch(url: URL): Search {
  const given = url.searchParams;
  const path = /^\/c\/([^/]+)\/?$/.exec(url.pathname)?.[1] ?? '';
  const category = path || given.get('category') || '';
  const radius = Number(given.get('radius'));
  const bbox = matching(BOX, given.get('bbox'));
  const attributes: Record<string, string> = {};
  for (const attr of given.getAll('attr').slice(0, 20)) {
    const colon = attr.indexOf(':');
    if (colon > 0) attributes[attr.slice(0, colon)] = attr.slice(colon + 1);
  }
  return {
    q: given.get('q') ?? '',
    category: matching(SLUG, category),
    minPrice: digits(given.get('minPrice')),
    maxPrice: digits(given.get('maxPrice')),
    priceType: oneOf(PRICE_TYPES, given.get('priceType')),
    attributes,
    near: matching(POINT, given.get('near')),
    place: given.get('place') ?? '',
    radius: Number.isInteger(radius) && radius >= 1 && radius <= 500_000 ? radius : USUAL_RADIUS,
    sort: oneOf(SORTS, given.get('sort')),
    author: digits(given.get('author')),
    view: bbox || given.get('view') === 'map' ? 'map' : '',
    bbox,
  };
}

export function writeSearch(search: Search): string {
  const query = filters(search);
  if (search.near) {
    query.set('radius', String(search.radius));
    if (search.place) query.set('place', search.place);
  }
  if (search.view && !search.bbox) query.set('view', search.view);
  const path = search.category ? `/c/${search.category}` : '/search';
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

function filters(search: Search): URLSearchParams {
  const query = new URLSearchParams();
  const plain = ['q', 'minPrice', 'maxPrice', 'priceType', 'near', 'sort', 'author', 'bbox'] as const;
  for (const name of plain) if (search[name]) query.set(name, search[name]);
  for (const [name, value] of Object.entries(search.attributes)) query.append('attr', `${name}:${value}`);
  return query;
}

/** The same search as the service takes it. */
export function toParameters(search: Search): ListParameters {
  const q = search.q.trim();
  const attr = Object.entries(search.attributes).map(([name, value]) => `${name}:${value}`);
  const sort = possibleSort(search) || (search.near ? 'distance' : '');
  return {
    ...(q ? { q: search.q.trimStart() } : {}),
    ...(search.category ? { category: search.category } : {}),
    ...(search.minPrice ? { minPrice: Number(search.minPrice) } : {}),
    ...(search.maxPrice ? { maxPrice: Number(search.maxPrice) } : {}),
    ...(search.priceType ? { priceType: search.priceType } : {}),
    ...(attr.length > 0 ? { attr } : {}),
    ...(search.near ? { near: search.near, radius: search.radius } : {}),
    ...(sort ? { sort } : {}),
    ...(search.author ? { author: Number(search.author) } : {}),
    ...(search.bbox ? { bbox: search.bbox } : {}),
  };
}

/** The order where none is chosen: the nearest first, then what matches best, then the newest. */
export function usualSort(search: Search): Sort {
  if (search.near) return 'distance';
  return search.q.trim() ? 'relevance' : '-created';
}

/** Orders that mean nothing without a word or a place. */
export function possibleSort(search: Search): Sort | '' {
  if (search.sort === 'relevance' && !search.q.trim()) return '';
  if (search.sort === 'distance' && !search.near) return '';
  return search.sort;
}

/** The query of `GET /ads`, without the order. */
export function queryOf(search: Search): string {
  const { sort: _sort, ...parameters } = toParameters(search);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (Array.isArray(value)) for (const one of value) query.append(name, one);
    else query.set(name, String(value));
  }
  return query.toString();
}

/** Where the results of a query of `GET /ads` are shown. The name of a place is no part of a query. */
export function addressOf(query: string): string {
  const search = readSearch(new URL(`/search?${query}`, location.origin));
  return writeSearch({ ...search, place: '' });
}

/** The address of the Atom feed of a search. */
export function feedAddress(search: Search): string {
  const query = queryOf(search);
  return query ? `/ads.atom?${query}` : '/ads.atom';
}

/** Another value for one attribute; an empty one removes the filter. */
export function withAttribute(search: Search, name: string, value: string): Search {
  const { [name]: _removed, ...others } = search.attributes;
  return { ...search, attributes: value ? { ...others, [name]: value } : others };
}

/** `from..to`, with either end open; empty where both are. */
export function range(from: string, to: string): string {
  return from || to ? `${from}..${to}` : '';
}

export function ends(value: string | undefined): [string, string] {
  const [from = '', to = ''] = (value ?? '').split('..');
  return [from, to];
}

/** The words, the category, the seller, the order and the map stay. */
export function withoutFilters({ q, category, author, sort, view, bbox }: Search): Search {
  return { ...EMPTY, q, category, author, sort, view, bbox };
}

export function countFilters(search: Search): number {
  const single = [search.minPrice || search.maxPrice, search.priceType, search.near];
  return single.filter(Boolean).length + Object.keys(search.attributes).length;
}
