import { expect, it } from 'vitest';
import { adAddress, idIn, slugOf } from '../src/data/adAddress';
import slugs from './slugs.json';

// The service's tests read the same file: both make the same addresses.
it.each(slugs as [string, string][])('the title %j is %j in an address', (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

it('an address has the id before the title', () => {
  expect(adAddress({ pk: 7, title: 'Küche' })).toBe('/a/7-kuche');
  expect(adAddress({ pk: 7, title: '!' })).toBe('/a/7');
  expect(adAddress({ pk: 7, title: 'Стол' })).toBe(`/a/7-${encodeURIComponent('стол')}`);
  expect([idIn('7-kuche'), idIn('7'), idIn('7-')]).toEqual([7, 7, 7]);
  expect([idIn('7a'), idIn('x-7'), idIn(''), idIn(undefined)]).toEqual([NaN, NaN, NaN, NaN]);
});
