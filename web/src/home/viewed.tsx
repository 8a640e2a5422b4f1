/** The ads that were looked at last on this device, and a way to forget them. */
import type { JSX } from 'preact';
import { AdCard } from '../elements/adCard';
import { t } from '../i18n';
import { forgetViewed, viewed } from '../results/recent';

export function Viewed(): JSX.Element | null {
  if (viewed.value.length === 0) return null;
  return (
    <section aria-labelledby="viewed">
      <div class="heading-row">
        <h2 id="viewed">{t('viewed.title')}</h2>
        <button type="button" class="plain" onClick={() => forgetViewed()}>
          {t('viewed.clear')}
        </button>
      </div>
      <ul class="cards in-row">
        {viewed.value.map((ad) => (
          <AdCard key={ad.pk} ad={ad} />
        ))}
      </ul>
    </section>
  );
}
