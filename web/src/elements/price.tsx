import type { JSX } from 'preact';
import type { PriceType } from '../data/client';
import { currency } from '../data/site';
import { t } from '../i18n';
import { formatMoney, formatPrice } from '../i18n/format';

/** What an ad costs. That it can be negotiated is said in a lower voice than the amount. */
export function Price({
  of: { price, priceType },
  free = 'tag good',
}: {
  of: { price: number; priceType: PriceType };
  /** How a gift looks. */
  free?: string;
}): JSX.Element {
  if (priceType === 'free') return <span class={free}>{t('price.free')}</span>;
  if (priceType !== 'negotiable') return <>{formatPrice(price, priceType, currency.value)}</>;
  return (
    <>
      {formatMoney(price, currency.value)} <small>{t('price.quiet')}</small>
    </>
  );
}
