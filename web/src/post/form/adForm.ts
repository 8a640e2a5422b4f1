/** An ad as it is typed. */
import type { PriceType } from '../../results/address';

export interface AdForm {
  title: string;
  price: string;
  priceType: PriceType;
  description: string;
  category: string;
  /** As typed, by name of the attribute. */
  attributes: Record<string, string>;
  place: string;
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
  location: null,
});
