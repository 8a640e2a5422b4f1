/** An ad that was sold or has expired: what it was, for who has seen or bought it, and others like it. */
import type { JSX } from 'preact';
import { newestQuery, similarQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { pageOf } from '../data/site';
import { AdCard, type CardAd, CardsToCome } from '../elements/adCard';
import { Page } from '../elements/page';
import { Price } from '../elements/price';
import { t } from '../i18n';
import { aboutQuery, dealQuery } from '../messages/queries';
import '../messages/text';

export function Gone({ id, seen }: { id: number; seen: CardAd | undefined }): JSX.Element {
  const about = useQuery({ ...aboutQuery(id), enabled: Boolean(user.value) }).data;
  const ad = about?.ad ?? seen;
  return (
    <Page title={ad?.title ?? t('ad.gone')}>
      {ad ? (
        <section class="panel row gone" aria-label={t('ad.gone')}>
          <img class="thumb" src={ad.thumbnail} alt="" width="160" height="120" />
          <div>
            <p>
              {about?.ad && <span class="badge">{t(`status.${about.ad.status}`)}</span>}{' '}
              <span class="price">
                <Price of={ad} />
              </span>
            </p>
            <p>{t('ad.gone')}</p>
            {about && (
              <a class="button" href={`/messages/${about.id}`}>
                {t('write.toConversation')}
              </a>
            )}
          </div>
        </section>
      ) : (
        <p>{t('ad.goneText')}</p>
      )}
      <Others id={id} />
    </Page>
  );
}

/** Who has bought it still sees it, and has more to say to the seller than to buy it. */
export function Bought({ id }: { id: number }): JSX.Element | null {
  const about = useQuery(aboutQuery(id)).data;
  // Administrators see it too.
  if (useQuery(dealQuery(id)).data?.role !== 'buyer') return null;
  return (
    <section class="panel good-news" aria-labelledby="bought">
      <h2 id="bought">{t('bought.title')}</h2>
      <p>{t('bought.text')}</p>
      {about && (
        <a class="button primary" href={`/messages/${about.id}`}>
          {t('write.toConversation')}
        </a>
      )}
    </section>
  );
}

/** Like it; the newest where there are none. */
function Others({ id }: { id: number }): JSX.Element | null {
  const alike = useQuery(similarQuery(id));
  const none = alike.error !== null || alike.data?.length === 0;
  const newest = useQuery({ ...newestQuery({ limit: pageOf(8) }), enabled: none }).data?.results;
  const found = none ? newest : alike.data;
  if (found?.length === 0) return null;
  return (
    <section aria-labelledby="similar">
      <h2 id="similar">{t(none ? 'home.newest' : 'ad.similar')}</h2>
      {found ? (
        <ul class="cards">
          {found.map((one) => (
            <AdCard key={one.pk} ad={one} />
          ))}
        </ul>
      ) : (
        <CardsToCome count={4} />
      )}
    </section>
  );
}
