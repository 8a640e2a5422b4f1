/** Between the form of an ad, as it is typed, and the records of the service. */
import type { CategoryAttribute, CreateOrUpdateAd, ExtendedAd, PriceType } from '../../data/client';
import { priceValue } from '../../data/price';
import { currency } from '../../data/site';
import { readNumber, writeAmount, writeNumber } from '../../i18n/numbers';

/** The title of a draft that has none yet. It is too short to be published. */
export const UNTITLED = '…';

/** An ad as it is typed. */
export interface AdForm {
  title: string;
  price: string;
  priceType: PriceType;
  description: string;
  category: string;
  /** As typed, by name of the attribute. */
  attributes: Record<string, string>;
  place: string;
  /** Of the town that was chosen for `place`. */
  placeId: number | null;
  location: { latitude: number; longitude: number } | null;
}

export const emptyForm = (): AdForm => ({
  title: '',
  price: '',
  priceType: 'fixed',
  description: '',
  category: '',
  attributes: {},
  place: '',
  placeId: null,
  location: null,
});

/** The value of an attribute as typed. A text that is no number is sent as it is, so that the service explains the fault. */
export function attributeValue(type: CategoryAttribute['type'], text: string): string | number | boolean {
  if (type === 'boolean') return text === 'true';
  if (type === 'integer' || type === 'number') return readNumber(text, type === 'integer') ?? text;
  return text;
}

const isUnpriced = (type: PriceType): boolean => type === 'free' || type === 'onRequest';

/** What is given away or has its price on request needs none to be typed. */
export function settled(form: AdForm): AdForm {
  const open = form.priceType === 'free' || (form.priceType === 'onRequest' && !form.price.trim());
  return open ? { ...form, price: '0' } : form;
}

export function attributeValues(
  form: AdForm,
  defined: readonly CategoryAttribute[],
): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {};
  for (const { name, type } of defined) {
    const text = form.attributes[name] ?? '';
    if (text.trim() !== '') values[name] = attributeValue(type, text);
  }
  return values;
}

export function toForm(ad: ExtendedAd): AdForm {
  return {
    title: ad.title === UNTITLED ? '' : ad.title,
    // An ad without a price has the price 0: a draft that has none yet, what is free, and a price on request.
    price:
      ad.price === 0 && (ad.status === 'draft' || isUnpriced(ad.priceType))
        ? ''
        : writeAmount(ad.price, currency.value.decimals),
    priceType: ad.priceType,
    description: ad.description,
    category: ad.category ?? '',
    attributes: Object.fromEntries(
      Object.entries(ad.attributes).map(([name, value]) => [
        name,
        typeof value === 'number' ? writeNumber(value) : String(value),
      ]),
    ),
    place: ad.place ?? '',
    placeId: ad.placeId,
    location: ad.locationKind === 'exact' ? ad.location : null,
  };
}

/** The members that differ between two forms; each attribute by itself. */
export function differences(one: AdForm, other: AdForm): string[] {
  const plain = (['title', 'price', 'priceType', 'description', 'category'] as const).filter(
    (name) => one[name] !== other[name],
  );
  const names = new Set([...Object.keys(one.attributes), ...Object.keys(other.attributes)]);
  const attributes = [...names].filter(
    (name) => (one.attributes[name] ?? '') !== (other.attributes[name] ?? ''),
  );
  return [
    ...plain,
    ...(one.place === other.place && sameTown(one, other) ? [] : ['place']),
    ...(samePoint(one.location, other.location) ? [] : ['location']),
    ...attributes.map((name) => `attributes/${name}`),
  ];
}

/** Forms that were kept by an earlier version have no id. */
function sameTown(one: AdForm, other: AdForm): boolean {
  return (one.placeId ?? null) === (other.placeId ?? null);
}

function samePoint(one: AdForm['location'], other: AdForm['location']): boolean {
  return one?.latitude === other?.latitude && one?.longitude === other?.longitude;
}

/** Only members that were changed since `before` was read, so that changes of others stay. */
export function toChange(
  before: AdForm,
  now: AdForm,
  defined: readonly CategoryAttribute[],
): CreateOrUpdateAd {
  const changed = differences(settled(before), settled(now));
  const values: Record<string, unknown> = {
    title: now.title.trim() || UNTITLED,
    description: now.description,
    priceType: now.priceType,
    price: priceValue(settled(now).price),
    place: now.place.trim() || null,
    category: now.category || null,
    location: now.location,
  };
  const change = Object.fromEntries(
    changed.filter((name) => name in values).map((name) => [name, values[name]]),
  );
  if (!sameTown(before, now)) change.placeId = now.placeId;
  const attributes = changedAttributes(before, now, defined, changed);
  if (now.category && Object.keys(attributes).length > 0) change.attributes = attributes;
  return change as CreateOrUpdateAd;
}

function changedAttributes(
  before: AdForm,
  now: AdForm,
  defined: readonly CategoryAttribute[],
  changed: readonly string[],
): Record<string, unknown> {
  const values = attributeValues(now, defined);
  const attributes: Record<string, unknown> = {};
  for (const name of changed.filter((one) => one.startsWith('attributes/')).map((one) => one.slice(11))) {
    attributes[name] = values[name] ?? null;
  }
  // Attributes that another category does not define are removed.
  if (before.category !== now.category) {
    for (const name of Object.keys(before.attributes)) {
      if (!defined.some((attribute) => attribute.name === name)) attributes[name] = null;
    }
    for (const name of Object.keys(attributes)) {
      if (attributes[name] === null && before.attributes[name] === undefined) delete attributes[name];
    }
  }
  return attributes;
}

/** `before` with these members of `now`, named as by `differences`. */
export function overlaid(before: AdForm, now: AdForm, names: readonly string[]): AdForm {
  const made = { ...before, attributes: { ...before.attributes } };
  for (const name of names) {
    const attribute = name.replace('attributes/', '');
    if (attribute !== name) made.attributes[attribute] = now.attributes[attribute] ?? '';
    else Object.assign(made, { [name]: now[name as keyof AdForm] });
    if (name === 'place') made.placeId = now.placeId;
  }
  return made;
}
