/** For the author: how often the ad was seen, how many have written, and what similar ads cost. */
import type { JSX } from 'preact';
import { client } from '../data/client';
import { useQuery } from '../data/query';
import { currency } from '../data/site';
import { Curve } from '../elements/curve';
import { t } from '../i18n';
import { formatMoney } from '../i18n/format';
import '../post/words';

export function Stats({ id }: { id: number }): JSX.Element | null {
  const { data } = useQuery({
    queryKey: ['ad', id, 'stats'],
    queryFn: ({ signal }) => client.getAdStats(id, { signal }),
  });
  if (!data) return null;
  const { views, conversations, days, similarPrice } = data;
  const money = (amount: number): string => formatMoney(amount, currency.value);
  return (
    <div class="stats">
      <p class="faint">
        {t('stats.views', { count: views })}
        {conversations > 0 && <> · {t('stats.conversations', { count: conversations })}</>}
      </p>
      {views > 0 && (
        <Curve
          days={days.map((day) => ({ date: day.date, value: day.views }))}
          label={t('stats.days', { count: days.reduce((sum, day) => sum + day.views, 0) })}
          text={(count) => t('stats.views', { count })}
        />
      )}
      {similarPrice && (
        <p class="faint">
          {t('stats.similar', {
            low: money(similarPrice.low),
            median: money(similarPrice.median),
            high: money(similarPrice.high),
          })}
        </p>
      )}
    </div>
  );
}
