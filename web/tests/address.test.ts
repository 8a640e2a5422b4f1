import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { matchPath } from '../src/app/router';
import {
  addressOf,
  countFilters,
  EMPTY,
  ends,
  feedAddress,
  possibleSort,
  queryOf,
  range,
  readSearch,
  type Search,
  toParameters,
  usualSort,
  withAttribute,
  withoutFilters,
  writeSearch,
} from '../src/results/address';
import { bandText } from '../src/results/attributeFilter';

const at = (address: string): URL => new URL(address, 'http://localhost');

const FULL: Search = {
  q: 'oak table',
  category: 'home',
  minPrice: '10',
  maxPrice: '500',
  priceType: 'negotiable',
  attributes: { condition: 'new|used', year: '2015..' },
  near: '52.52,13.405',
  place: 'Berlin',
  radius: 10_000,
  sort: 'distance',
  author: '7',
  view: 'map',
  bbox: '13.1,52.3,13.8,52.7',
};

describe('the address of a search', () => {
  it('says all of it', () => {
    expect(readSearch(at(writeSearch(FULL)))).toEqual(FULL);
  });

  it('is short for the empty one', () => {
    expect(writeSearch(EMPTY)).toBe('/search');
    expect(readSearch(at('/search'))).toEqual(EMPTY);
  });

  it('has the category in its path', () => {
    expect(writeSearch({ ...EMPTY, category: 'cars' })).toBe('/c/cars');
  });

  it('is read without what cannot be meant', () => {
    const address =
      '/search?minPrice=-1&maxPrice=99999999999&near=here&radius=0&sort=best&priceType=x&attr=&category=A%20B';
    expect(readSearch(at(address))).toEqual(EMPTY);
  });
});

describe('the parameters of a search', () => {
  it('are those of the service', () => {
    expect(toParameters(FULL)).toEqual({
      q: 'oak table',
      category: 'home',
      minPrice: 10,
      maxPrice: 500,
      priceType: 'negotiable',
      attr: ['condition:new|used', 'year:2015..'],
      near: '52.52,13.405',
      radius: 10_000,
      sort: 'distance',
      author: 7,
      bbox: '13.1,52.3,13.8,52.7',
    });
  });

  it('leave out words that are none, for an empty q finds nothing', () => {
    expect(toParameters({ ...EMPTY, q: '  ' })).toEqual({});
  });

  it('leave out orders that mean nothing', () => {
    expect(possibleSort({ ...EMPTY, sort: 'distance' })).toBe('');
    expect(possibleSort({ ...EMPTY, sort: 'relevance' })).toBe('');
    expect(possibleSort({ ...EMPTY, sort: 'price' })).toBe('price');
  });
});

it('the nearest are first where a place is chosen, unless another order is', () => {
  const near = { ...EMPTY, q: 'oak', near: '1,2' };
  expect(toParameters(near).sort).toBe('distance');
  expect(toParameters({ ...near, sort: 'price' }).sort).toBe('price');
  expect(usualSort(near)).toBe('distance');
  expect(usualSort({ ...EMPTY, q: 'oak' })).toBe('relevance');
});

it('a band of one number has one number', () => {
  expect(bandText({ min: 2007, max: 2007 }, String)).toBe('2007');
  expect(bandText({ min: 2007, max: 2011 }, String)).toBe('2007 – 2011');
});

it('without filters the words, the category and the order stay', () => {
  const { q, category, author, sort, view, bbox } = FULL;
  expect(withoutFilters(FULL)).toEqual({ ...EMPTY, q, category, author, sort, view, bbox });
  expect(countFilters(withoutFilters(FULL))).toBe(0);
});

it('the feed of a search has its filters, and not its order', () => {
  expect(
    feedAddress({ ...EMPTY, q: 'a b', category: 'cars', sort: 'price', attributes: { fuel: 'gas' } }),
  ).toBe('/ads.atom?q=a+b&category=cars&attr=fuel%3Agas');
  expect(feedAddress(EMPTY)).toBe('/ads.atom');
});

it('a filter by an attribute is put in the place of another, or taken away', () => {
  const once = withAttribute(EMPTY, 'fuel', 'gas');
  expect(withAttribute(once, 'fuel', 'diesel').attributes).toEqual({ fuel: 'diesel' });
  expect(withAttribute(once, 'fuel', '').attributes).toEqual({});
});

it('ranges may be open at either end', () => {
  expect(range('', '')).toBe('');
  expect(ends(range('5', ''))).toEqual(['5', '']);
  expect(ends(range('', '9'))).toEqual(['', '9']);
  expect(ends(undefined)).toEqual(['', '']);
});

describe('a saved search', () => {
  it('has the filters as the service takes them, and not the order', () => {
    expect(queryOf({ ...FULL, sort: 'price' })).toBe(
      'q=oak+table&category=home&minPrice=10&maxPrice=500&priceType=negotiable&attr=condition%3Anew%7Cused&attr=year%3A2015..&near=52.52%2C13.405&radius=10000&author=7&bbox=13.1%2C52.3%2C13.8%2C52.7',
    );
    expect(queryOf(EMPTY)).toBe('');
  });

  it('is opened where its results are, near the point that it was near', () => {
    const opened = readSearch(at(addressOf('category=home&near=52.520,13.4050&q=oak&radius=10000')));
    expect(opened).toEqual({
      ...EMPTY,
      q: 'oak',
      category: 'home',
      near: '52.520,13.4050',
      place: '',
      radius: 10_000,
    });
    expect(addressOf('near=1,1')).toBe('/search?near=1%2C1&radius=25000');
  });
});

it('what mails link to is a page', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
  const routes = [...read('../src/app/app.tsx').matchAll(/^ +\[?'(\/[^']*)',/gm)].map(
    ([, path = '']) => path,
  );
  const templates = '../../src/adsvc/services/mail/templates/';
  const names = readdirSync(fileURLToPath(new URL(templates, import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  }).filter((name) => name.endsWith('.jinja'));
  const links = names.flatMap((name) =>
    [...read(templates + name).matchAll(/{% set path %}([^#]*?)(#.*)?{% endset %}/g)].map(
      ([, path = '']) => `${name}: ${path.replace(/{{.*?}}/g, '7')}`,
    ),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(
    links.filter((link) => !routes.some((route) => matchPath(route, link.split(': ')[1] ?? ''))),
  ).toEqual([]);
});
