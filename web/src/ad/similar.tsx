import type { JSX } from 'preact';
import type { ShownAd } from '../data/client';
import { newestQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { AdCard } from '../elements/adCard';
import { t } from '../i18n';

const SHOWN = 6;

/** Other ads of the category, the nearest first if the ad has a location. */
export function Similar({ id, ad }: { id: number; ad: ShownAd }): JSX.Element | null {
  const near = ad.location && {
    near: `${ad.location.latitude},${ad.location.longitude}`,
    radius: 500_000,
    sort: 'distance' as const,
  };
  const { data } = useQuery({
    ...newestQuery({ limit: SHOWN + 1, ...(ad.category ? { category: ad.category } : {}), ...near }),
    enabled: ad.category !== null,
  });
  const others = data?.results.filter((other) => other.pk !== id).slice(0, SHOWN) ?? [];
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="similar">
      <h2 id="similar">{t('ad.similar')}</h2>
      <ul class="cards">
        {others.map((other) => (
          <AdCard key={other.pk} ad={other} />
        ))}
      </ul>
    </section>
  );
}
