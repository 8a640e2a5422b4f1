/** An ad that was sold or has expired: what it was, for who has written about it, and others like it. */
import type { JSX } from 'preact';
import { newestQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { pageOf } from '../data/site';
import { AdCard } from '../elements/adCard';
import { Empty } from '../elements/notice';
import { Page } from '../elements/page';
import { Price } from '../elements/price';
import { t } from '../i18n';
import { aboutQuery } from '../messages/queries';
import '../messages/text';
import { SearchForm } from '../results/searchForm';

export function Gone({ id }: { id: number }): JSX.Element {
  const about = useQuery({ ...aboutQuery(id), enabled: Boolean(user.value) }).data;
  const ad = about?.ad;
  return (
    <Page title={ad?.title ?? t('ad.gone')} narrow>
      {about && ad ? (
        <section class="row gone" aria-label={t('ad.gone')}>
          <img class="thumb" src={ad.thumbnail} alt="" width="320" height="240" />
          <div>
            <p>
              <span class="badge">{t(`status.${ad.status}`)}</span>{' '}
              <span class="price">
                <Price of={ad} />
              </span>
            </p>
            <p>{t('ad.gone')}</p>
            <a class="button primary" href={`/messages/${about.id}`}>
              {t('write.toConversation')}
            </a>
          </div>
        </section>
      ) : (
        <Empty drawing="box" text={t('ad.goneText')} to={{ href: '/search', text: t('notFound.search') }} />
      )}
      <SearchForm />
      <Others category={ad?.category ?? ''} />
    </Page>
  );
}

/** Of the same category where that is known. */
function Others({ category }: { category: string }): JSX.Element | null {
  const found =
    useQuery(newestQuery({ limit: pageOf(8), ...(category ? { category } : {}) })).data?.results ?? [];
  if (found.length === 0) return null;
  return (
    <section aria-labelledby="similar">
      <h2 id="similar">{t(category ? 'ad.similar' : 'home.newest')}</h2>
      <ul class="cards">
        {found.map((one) => (
          <AdCard key={one.pk} ad={one} />
        ))}
      </ul>
    </section>
  );
}
