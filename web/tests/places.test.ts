/** What the fields for a place offer. */
import { describe, expect, it } from 'vitest';
import { offered, textOf } from '../src/results/places';

const place = (id: number, name: string, region: string | null, postcode?: string) => ({
  id,
  name,
  region,
  country: 'DE',
  latitude: 53,
  longitude: 10,
  ...(postcode ? { postcode } : {}),
});

describe('places that are offered', () => {
  it('have the region in their text where names are equal', () => {
    const places = [
      place(1, 'Neustadt', 'Hamburg'),
      place(2, 'Neustadt', 'Lower Saxony'),
      place(3, 'Neustadt', null),
    ];
    const found = offered(places);
    expect([...found.keys()]).toEqual(['Neustadt', 'Neustadt, Lower Saxony', 'Neustadt, DE']);
    expect(found.get('Neustadt, Lower Saxony')?.id).toBe(2);
  });

  it('have the postcode that matched before their name', () => {
    expect(textOf(place(4, 'Berlin', 'Berlin', '10115'))).toBe('10115 Berlin');
  });
});
