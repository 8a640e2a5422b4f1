import type { JSX } from 'preact';
import { similarQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { AdCard } from '../elements/adCard';
import { t } from '../i18n';

/** Fewer that are really alike are better than many. */
const MOST = 6;

export function Similar({ id, category }: { id: number; category: string | null }): JSX.Element | null {
  const found = useQuery(similarQuery(id)).data ?? [];
  const ads = found.filter((one) => one.category === category).slice(0, MOST);
  if (ads.length === 0) return null;
  return (
    <section aria-labelledby="similar">
      <h2 id="similar">{t('ad.similar')}</h2>
      <ul class="cards">
        {ads.map((ad) => (
          <AdCard key={ad.pk} ad={ad} />
        ))}
      </ul>
    </section>
  );
}
