import { describe, expect, it } from 'vitest';
import { attribution } from '../src/map/frame';
import { boxOfCells, boxOfCircle, isSame, parseBox, ring, writeBox } from '../src/map/geometry';

describe('the box of a map', () => {
  it('is written as the service takes it', () => {
    expect(writeBox([13.1, 52.3, 13.80001, 52.7])).toBe('13.1,52.3,13.8,52.7');
    expect(writeBox([-0.00001, -95, 1e-7, 95])).toBe('0,-90,0,90');
    expect(writeBox([170, 0, 190, 10])).toBe('170,0,-170,10');
    expect(writeBox([-200, 0, 200, 10])).toBe('-180,0,180,10');
  });

  it('is read over the 180th meridian', () => {
    expect(parseBox('170,0,-170,10')).toEqual([170, 0, 190, 10]);
  });

  it('is the same where one sees no difference', () => {
    expect(isSame([0, 0, 10, 10], [0.1, 0, 10.1, 10])).toBe(true);
    expect(isSame([0, 0, 10, 10], [0.5, 0, 10.5, 10])).toBe(false);
  });

  it('has all cells, and a circle', () => {
    expect(boxOfCells([])).toBeUndefined();
    const cells = [
      { latitude: 52, longitude: 13, count: 1 },
      { latitude: 48, longitude: 16, count: 2 },
    ];
    expect(boxOfCells(cells)).toEqual([13 - 1 / 3, 48 - 1 / 3, 16 + 1 / 3, 52 + 1 / 3]);
    const circle = { latitude: 60, longitude: 10, radius: 111_195 };
    const [west, south, east, north] = boxOfCircle(circle);
    expect([west, south, east, north].map(Math.round)).toEqual([8, 59, 12, 61]);
    const corners = ring(circle);
    expect(corners[0]?.map(Math.round)).toEqual([12, 60]);
    expect(corners.at(-1)?.map(Math.round)).toEqual(corners[0]?.map(Math.round));
  });
});

it('only addresses of the web are links of an attribution', () => {
  const parts = [attribution('[a](javascript:alert(1)) and [b](https://example.com/c) <b>')].flat();
  const links = parts.filter((part) => typeof part === 'object' && part !== null);
  expect(links).toHaveLength(1);
  expect(links[0]).toMatchObject({ props: { href: 'https://example.com/c', children: 'b' } });
});
