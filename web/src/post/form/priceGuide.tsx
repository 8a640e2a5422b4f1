/** What like ads of the category cost, as a guide to one's own price. */
import type { JSX } from 'preact';
import type { Ad } from '../../data/client';
import { newestQuery } from '../../data/queries';
import { useQuery } from '../../data/query';
import { currency } from '../../data/site';
import { useRested } from '../../elements/rested';
import { t } from '../../i18n';
import { formatMoney } from '../../i18n/format';

const TITLE_REST = 500;
const LOOKED_AT = 40;
/** Fewer prices say little. */
const FEWEST = 5;

/** The quartiles of fixed and negotiable prices; null below five. */
export function priceGuide(ads: readonly Pick<Ad, 'price' | 'priceType'>[]) {
  const prices = ads
    .filter(({ price, priceType }) => price > 0 && (priceType === 'fixed' || priceType === 'negotiable'))
    .map(({ price }) => price)
    .toSorted((one, other) => one - other);
  if (prices.length < FEWEST) return null;
  const at = (part: number): number => prices[Math.floor((prices.length - 1) * part)] ?? 0;
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

export function PriceGuide({ title, category }: { title: string; category: string }): JSX.Element | null {
  const q = useRested(title.trim(), TITLE_REST);
  const like = useQuery({ ...newestQuery({ q, category, limit: LOOKED_AT }), enabled: q !== '' });
  const guide = priceGuide(like.data?.results ?? []);
  if (!guide) return null;
  const money = (amount: number): string => formatMoney(amount, currency.value);
  const { low, median, high } = guide;
  return (
    <p class="hint" role="status">
      {t('stats.similar', { low: money(low), median: money(median), high: money(high) })}
    </p>
  );
}
