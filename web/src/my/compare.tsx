/** Saved ads side by side: what each costs, where it is, and its attributes. */
import type { JSX } from 'preact';
import { valueText } from '../ad/attributes';
import { adAddress } from '../data/adAddress';
import type { Ad } from '../data/client';
import { categoriesQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { Price } from '../elements/price';
import { Sheet } from '../elements/sheet';
import { named, t } from '../i18n';
import { formatDate } from '../i18n/format';
import '../post/words';

export function Compare({ ads, onClose }: { ads: readonly Ad[]; onClose: () => void }): JSX.Element {
  const categories = useQuery(categoriesQuery()).data ?? [];
  const rows = new Map<string, { label: string; of: (ad: Ad) => string }>();
  for (const { slug, attributes } of categories) {
    if (!ads.some(({ category }) => category === slug)) continue;
    for (const attribute of attributes) {
      const { name } = attribute;
      if (rows.has(name) || !ads.some((ad) => ad.attributes[name] != null)) continue;
      const of = (ad: Ad): string =>
        ad.attributes[name] == null ? '–' : valueText(attribute, ad.attributes[name]);
      rows.set(name, { label: named(attribute.label ?? name, attribute.labels), of });
    }
  }
  return (
    <Sheet title={t('compare.title')} onClose={onClose}>
      {() => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section class="compare" tabIndex={0} aria-label={t('compare.title')}>
          <table>
            <thead>
              <tr>
                <td />
                {ads.map((ad) => (
                  <th key={ad.pk} scope="col">
                    <img class="thumb" src={ad.thumbnail} alt="" width="160" height="120" />
                    <a dir="auto" href={adAddress(ad)}>
                      {ad.title}
                    </a>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <tr>
                <th scope="row">{t('form.price')}</th>
                {ads.map((ad) => (
                  <td key={ad.pk} class="price">
                    <Price of={ad} />
                  </td>
                ))}
              </tr>
              {[...rows].map(([name, { label, of }]) => (
                <tr key={name}>
                  <th scope="row">{label}</th>
                  {ads.map((ad) => (
                    <td key={ad.pk} dir="auto">
                      {of(ad)}
                    </td>
                  ))}
                </tr>
              ))}
              <tr>
                <th scope="row">{t('form.place')}</th>
                {ads.map((ad) => (
                  <td key={ad.pk} dir="auto">
                    {ad.place ?? '–'}
                  </td>
                ))}
              </tr>
              <tr>
                <th scope="row">{t('compare.posted')}</th>
                {ads.map((ad) => (
                  <td key={ad.pk}>{formatDate(ad.createdAt)}</td>
                ))}
              </tr>
            </tbody>
          </table>
        </section>
      )}
    </Sheet>
  );
}
