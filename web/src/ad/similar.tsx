import type { JSX } from 'preact';
import { similarQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { AdCard } from '../elements/adCard';
import { t } from '../i18n';

export function Similar({ id }: { id: number }): JSX.Element | null {
  const ads = useQuery(similarQuery(id)).data ?? [];
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
