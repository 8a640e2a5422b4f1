import { afterEach, describe, expect, it } from 'vitest';
import type { Ad, CategoryAttribute, ExtendedAd } from '../src/data/client';
import { ofPrice, priceValue } from '../src/data/price';
import { boundOf } from '../src/elements/field';
import { language } from '../src/i18n';
import { readAmount, readNumber, writeAmount, writeNumber } from '../src/i18n/numbers';
import { nextStep } from '../src/my/nextStep';
import { faultsOf } from '../src/post/form/judge';
import { priceGuide } from '../src/post/form/priceGuide';
import { readSchema } from '../src/post/form/schema';
import { type AdForm, differences, emptyForm, toChange, toForm } from '../src/post/form/toRequest';
import { kindOf } from '../src/post/pictures/check';
import { move } from '../src/post/pictures/order';
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
  it('has the types of the attributes, and nothing of what was left empty', () => {
    expect(toChange(emptyForm(), FORM, DEFINED)).toEqual({
      title: 'Estate car',
      price: 12_500,
      description: 'Runs well.',
      category: 'cars',
      place: 'Berlin',
      attributes: { mileage: 85_000, fuel: 'diesel', parking: false },
    });
  });

  it('passes on what is no price, for the service to refuse', () => {
    expect(priceValue('cheap')).toBe('cheap');
    expect(priceValue('1.5')).toBe('1.5');
    expect(priceValue('')).toBe('');
  });
});

describe('what an author is offered next', () => {
  const DAY = 86_400_000;
  const ad = (change: Partial<Ad>): Ad =>
    ({ status: 'active', createdAt: 0, imageCount: 3, priceType: 'fixed', viewCount: 9, ...change }) as Ad;

  it.each([
    [{}, 20, null],
    [{ status: 'sold', imageCount: 1 }, 20, null],
    [{ expiresAt: 22 * DAY, imageCount: 1 }, 20, 'renew'],
    [{ expiresAt: 30 * DAY, imageCount: 1 }, 20, 'pictures'],
    [{ favoriteCount: 3 }, 0, 'price'],
    [{ favoriteCount: 3, conversationCount: 1 }, 0, null],
    [{ favoriteCount: 3, priceType: 'free' }, 0, null],
    [{ viewCount: 20 }, 6, null],
    [{ viewCount: 20 }, 7, 'price'],
    [{ viewCount: 4 }, 6, null],
    [{ viewCount: 4 }, 7, 'title'],
  ] as const)('of %j after %i days', (change, days, wanted) => {
    expect(nextStep(ad(change), days * DAY)).toBe(wanted);
  });
});

describe('what similar ads cost', () => {
  const priced = (price: number, priceType = 'fixed') => ({ price, priceType }) as ExtendedAd;

  it('is their quartiles, without gifts and prices on request', () => {
    const ads = [90, 10, 50, 30, 70].map((price) => priced(price, 'negotiable'));
    const others = [priced(0, 'free'), priced(5000, 'onRequest'), priced(0)];
    expect(priceGuide([...ads, ...others])).toEqual({ low: 30, median: 50, high: 70 });
    expect(priceGuide([...ads.slice(1), ...others])).toBeNull();
  });
});

describe('numbers as people type them', () => {
  afterEach(() => {
    language.value = 'en';
  });

  it.each([
    ['1500', 1500],
    ['1.500', 1500],
    ['1,500', 1500],
    ['1 500 €', 1500],
    ['€ 1\u202f500', 1500],
    ["1'500 CHF", 1500],
    ['1500,-', 1500],
    ['1.500,–', 1500],
    ['1.234.567', 1_234_567],
    ['1.500,00', 1500],
    ['1,500.00 EUR', 1500],
    ['1500 руб.', 1500],
    ['149,99', 149.99],
    ['149.99', 149.99],
    ['0.500', 0.5],
    ['-5', -5],
    ['12.34.56', null],
    ['1,234,5', null],
    ['1.234,567.8', null],
    ['cheap', null],
    ['1e3', null],
    ['', null],
  ])('%s', (text, number) => {
    expect(readNumber(text, true)).toBe(number);
  });

  it('have thousands as the language writes them, where there may be fractions', () => {
    expect(readNumber('1.500', false)).toBe(1.5);
    expect(readNumber('1,500', false)).toBe(1500);
    language.value = 'de';
    expect(readNumber('1.500', false)).toBe(1500);
    expect(readNumber('1,500', false)).toBe(1.5);
    expect(readNumber(writeNumber(1.125), false)).toBe(1.125);
  });
});

describe('one parser for ads, offers and filters', () => {
  it.each([
    ['1500,00', '1500'],
    ['1.500', '1500'],
    ['1 500 €', '1500'],
    ['12,50', '12'],
    ['', ''],
  ])('takes %s as the upper bound of a price as %s', (typed, bound) => {
    expect(boundOf(typed, 'to', false)).toBe(bound);
  });

  it('takes bounds between whole numbers inwards', () => {
    expect(boundOf('12,50', 'from', false)).toBe('13');
    expect(boundOf('2,5', 'from', true)).toBe('2.5');
  });

  it.each(['abc', '-5', '1,2,3'])('takes %s as no bound', (typed) => {
    expect(boundOf(typed, 'from', false)).toBeNull();
  });

  it.each([
    ['12.50', 2, 1250, '12.50'],
    ['12,50 CHF', 2, 1250, '12.50'],
    ['1.500', 2, 150_000, '1500'],
    ['0.29', 2, 29, '0.29'],
    ['1.5', 3, 1500, '1.500'],
    ['1.500', 3, 1500, '1.500'],
    ['12.345', 2, 1_234_500, '12345'],
    ['12.3456', 3, 12_345.6, null],
    ['12', 0, 12, '12'],
    ['dear', 2, null, null],
  ])('reads %s with %i decimals as %s, and writes %s', (typed, decimals, amount, written) => {
    expect(readAmount(typed, decimals)).toBe(amount);
    if (written !== null) expect(writeAmount(amount ?? 0, decimals)).toBe(written);
  });

  it('takes bounds of prices inwards to the smallest unit', () => {
    expect(boundOf('12,505', 'from', false, 2)).toBe('1250500');
    expect(boundOf('0.1234', 'from', false, 2)).toBe('13');
    expect(boundOf('0.1234', 'to', false, 2)).toBe('12');
  });

  it('refuses cents in an offer as in an ad, and never moves the comma', () => {
    expect(ofPrice('12,50')).toMatchObject([{ code: 'cents', values: { minimum: 12, maximum: 13 } }]);
    expect(ofPrice('12,00')).toEqual([]);
    expect(priceValue('12,00')).toBe(12);
    expect(ofPrice('zwölf')).toMatchObject([{ code: 'wrong-price' }]);
  });
});

describe('faults found before anything is sent', () => {
  const properties = readSchema({
    properties: {
      year: { type: 'integer', minimum: 1900, maximum: 2030 },
      fuel: { type: 'string', enum: ['gas'] },
    },
    required: ['year'],
  });
  const good: AdForm = {
    ...emptyForm(),
    title: 'Estate car',
    price: '1.500',
    description: 'Runs very well.',
  };
  const found = (form: Partial<AdForm>): string[] =>
    faultsOf({ ...good, attributes: { year: '2014' }, ...form }, properties).map(
      ({ at, code }) => `${at} ${code}`,
    );

  it('are none of a complete ad', () => {
    expect(found({})).toEqual([]);
  });

  it.each([
    [{ title: ' ab ' }, ['/title wrong-length']],
    [{ title: '', description: '' }, ['/title missing', '/description missing']],
    [{ price: '149,99' }, ['/price cents']],
    [{ price: 'much' }, ['/price wrong-price']],
    [{ price: '-1' }, ['/price out-of-range']],
    [{ price: '', priceType: 'onRequest' }, []],
    [{ price: '', priceType: 'free' }, []],
    [{ attributes: {} }, ['/attributes/year missing']],
    [{ attributes: { year: '20,5' } }, ['/attributes/year wrong-type']],
    [{ attributes: { year: '1.014' } }, ['/attributes/year out-of-range']],
    [{ attributes: { year: '2014', fuel: 'coal' } }, ['/attributes/fuel not-an-option']],
  ] as [Partial<AdForm>, string[]][])('%j', (form, faults) => {
    expect(found(form)).toEqual(faults);
  });
});

it.each([
  ['jpeg', '\xff\xd8\xff\xe0'],
  ['png', '\x89PNG\r\n\x1a\n'],
  ['webp', 'RIFF\x10\0\0\0WEBPVP8 '],
  ['heic', '\0\0\0\x18ftypheic\0\0'],
  ['heic', '\0\0\0\x24ftypmif1\0\0'],
  ['other', '\0\0\0\x18ftypavif\0\0'],
  ['other', 'no picture at all'],
  ['other', ''],
])('a file is what it begins with: %s', async (kind, text) => {
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  expect(await kindOf(new Blob([bytes]))).toBe(kind);
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
    ...toChange(emptyForm(), FORM, DEFINED),
    priceType: 'fixed',
    place: null,
    location: null,
    category: 'cars',
  } as unknown as ExtendedAd;
  expect(toChange(toForm(ad), toForm(ad), DEFINED)).toEqual({});
});

it.each(['free', 'onRequest'] as const)(
  'an ad that is %s and has no price shows an empty field',
  (priceType) => {
    const ad = {
      ...toChange(emptyForm(), FORM, DEFINED),
      ...{ status: 'active', price: 0, priceType, place: null, location: null, attributes: {} },
    } as unknown as ExtendedAd;
    const form = toForm(ad);
    expect(form.price).toBe('');
    expect(toChange(form, form, DEFINED)).toEqual({});
    const priced = { ...form, priceType: 'fixed', price: '5' } as const;
    expect(toChange(form, priced, DEFINED)).toEqual({ priceType: 'fixed', price: 5 });
    expect(toChange(priced, form, DEFINED)).toEqual({ priceType, price: 0 });
  },
);

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
