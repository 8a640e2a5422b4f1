import { describe, expect, it } from 'vitest';
import type { CategoryAttribute, ExtendedAd } from '../src/data/client';
import { readSchema } from '../src/post/form/schema';
import {
  type AdForm,
  differences,
  emptyForm,
  priceValue,
  toChange,
  toForm,
  toRequest,
} from '../src/post/form/toRequest';
import { move } from '../src/post/pictures/pictureList';
import { fitInto } from '../src/post/pictures/shrink';

const DEFINED = [
  { name: 'mileage', type: 'integer' },
  { name: 'fuel', type: 'enum' },
  { name: 'parking', type: 'boolean' },
] as CategoryAttribute[];

const FORM: AdForm = {
  ...emptyForm(),
  title: 'Estate car',
  price: '12 500',
  description: 'Runs well.',
  category: 'cars',
  attributes: { mileage: '85000', fuel: 'diesel', parking: 'false' },
  place: ' Berlin ',
};

describe('what is sent', () => {
  it('has the types of the attributes', () => {
    expect(toRequest(FORM, DEFINED)).toMatchObject({
      price: 12_500,
      place: 'Berlin',
      attributes: { mileage: 85_000, fuel: 'diesel', parking: false },
    });
  });

  it('leaves out what was left empty', () => {
    const request = toRequest({ ...FORM, place: '', attributes: { fuel: '' } }, DEFINED);
    expect(request).not.toHaveProperty('place');
    expect(request).not.toHaveProperty('location');
    expect(request.attributes).toEqual({});
  });

  it('passes on what is no price, for the service to refuse', () => {
    expect(priceValue('cheap')).toBe('cheap');
    expect(priceValue('1.5')).toBe('1.5');
    expect(priceValue('')).toBe('');
  });
});

describe('a change', () => {
  it('has what was changed alone', () => {
    expect(toChange(FORM, { ...FORM, title: 'Van', place: '' }, DEFINED)).toEqual({
      title: 'Van',
      place: null,
    });
  });

  it('is empty when nothing was changed', () => {
    expect(toChange(FORM, structuredClone(FORM), DEFINED)).toEqual({});
  });

  it('removes attributes by null', () => {
    const now = { ...FORM, attributes: { mileage: '90000', fuel: '', parking: 'false' } };
    expect(toChange(FORM, now, DEFINED)).toEqual({ attributes: { mileage: 90_000, fuel: null } });
  });

  it('removes what another category does not define', () => {
    const now = { ...FORM, category: 'bikes', attributes: { ...FORM.attributes, size: 'l' } };
    const bikes = [{ name: 'size', type: 'enum' }] as CategoryAttribute[];
    expect(toChange(FORM, now, bikes)).toEqual({
      category: 'bikes',
      attributes: { mileage: null, fuel: null, parking: null, size: 'l' },
    });
  });

  it('removes the category, and the attributes go with it', () => {
    expect(toChange(FORM, { ...FORM, category: '' }, [])).toEqual({ category: null });
  });
});

it('differences are told by name, attributes each by itself', () => {
  const other = { ...FORM, price: '1', location: { latitude: 1, longitude: 2 }, attributes: { fuel: 'gas' } };
  expect(differences(FORM, other)).toEqual([
    'price',
    'location',
    'attributes/mileage',
    'attributes/fuel',
    'attributes/parking',
  ]);
});

it('a record becomes a form and the same request again', () => {
  const ad = {
    ...toRequest(FORM, DEFINED),
    place: null,
    location: null,
    category: 'cars',
  } as unknown as ExtendedAd;
  expect(toChange(toForm(ad), toForm(ad), DEFINED)).toEqual({});
});

it('a schema becomes fields in its order', () => {
  const fields = readSchema({
    properties: {
      year: { type: 'integer', title: 'Year', minimum: 1900, maximum: 2 ** 53 - 1 },
      fuel: { type: 'string', enum: ['gas'] },
      odd: { type: 'array' },
    },
    required: ['fuel'],
  });
  expect(fields.map(({ name, required }) => [name, required])).toEqual([
    ['year', false],
    ['fuel', true],
  ]);
  expect(fields[0]).toMatchObject({ minimum: 1900, maximum: undefined });
  expect(fields[1]?.options).toEqual(['gas']);
  expect(readSchema({})).toEqual([]);
});

it('pictures move to another place', () => {
  expect(move(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(move(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
});

it('huge photos keep their proportions', () => {
  expect(fitInto(8000, 6000, 2048)).toEqual({ width: 2048, height: 1536 });
  expect(fitInto(10, 20, 2048)).toEqual({ width: 10, height: 20 });
  expect(fitInto(40_000, 10, 2048)).toEqual({ width: 2048, height: 1 });
});
