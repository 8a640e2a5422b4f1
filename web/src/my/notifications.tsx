/** What happened to things that the person follows. Looking at the list reads it. */
import '../post/words';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { type Ad, client, type Notification } from '../data/client';
import { notificationsQuery } from '../data/queries';
import { usePages } from '../data/query';
import { currency } from '../data/site';
import { forgetNotifications, unread } from '../data/unread';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { formatAge, formatMoney } from '../i18n/format';

export function NotificationsPage(): JSX.Element {
  return (
    <SignedIn title={t('notifications.title')}>
      {() => (
        <Page title={t('notifications.title')} narrow>
          <p>
            <a href="/account/preferences">{t('preferences.title')}</a>
          </p>
          <Notifications />
        </Page>
      )}
    </SignedIn>
  );
}

function Notifications(): JSX.Element {
  const result = usePages(notificationsQuery());
  const first = result.data?.pages[0];
  const newest = first?.results[0]?.id;
  const count = unread.value;
  useEffect(() => {
    // Those that came while the page is open.
    if (count > 0) void forgetNotifications();
  }, [count]);
  useEffect(() => {
    if (newest === undefined || !first?.unread) return;
    // It is not loaded again after that: what was unread is marked until the page is left.
    const read = (): void => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', read);
      client.readNotifications({ upTo: newest }).then(
        () => {
          unread.value = 0;
        },
        () => undefined, // The next visit reads it.
      );
    };
    document.addEventListener('visibilitychange', read);
    read();
    return () => document.removeEventListener('visibilitychange', read);
    // Also when the newest one has gathered more.
  }, [first]);
  return (
    <Listing
      result={result}
      look="my-ads"
      none={{
        drawing: 'bell',
        text: t('notifications.none'),
        to: { href: '/search', text: t('notFound.search') },
      }}
      each={(notification: Notification) => <Row key={notification.id} of={notification} />}
    />
  );
}

interface Told {
  title: string;
  href?: string;
  text: string;
}

const PLAIN = [
  'favoriteReserved',
  'favoriteSold',
  'favoriteBack',
  'favoriteEnding',
  'comment',
  'adEnding',
  'adEnded',
] as const;

function told({ type, ad, search, conversation, count, price }: Notification): Told {
  const about = ad ? { title: ad.title, href: `/a/${ad.pk}` } : { title: t('saved.gone') };
  const money = (amount: number): string => formatMoney(amount, currency.value);
  if (type === 'searchMatched') {
    const text = t('notified.searchMatched', { count: count ?? 0 });
    // A search that was deleted has no page.
    return search
      ? { title: search.name ?? '', href: `/my/searches/${search.id}`, text }
      : { title: '', text };
  }
  if (type === 'priceDropped' && price) {
    const values = { before: money(price.before), after: money(price.after) };
    return { ...about, text: t('notified.priceDropped', values) };
  }
  if (type === 'decision')
    return { title: t('decisions.title'), href: '/account/decisions', text: t('notified.decision') };
  if (type === 'rating' || type === 'ratingReminder')
    return { title: ad?.title ?? t('deals.title'), href: '/my/deals', text: t(`notified.${type}`) };
  const plain = PLAIN.find((one) => one === type);
  if (plain) return { ...about, text: t(`notified.${plain}`) };
  const text = t(type === 'offer' ? 'notified.offer' : 'notified.message');
  return { ...about, ...(conversation === null ? {} : { href: `/messages/${conversation}` }), text };
}

function Row({ of: notification }: { of: Notification }): JSX.Element {
  const { title, href, text } = told(notification);
  const { id, ad, at, read } = notification;
  const name: ComponentChildren = href ? <a href={href}>{title}</a> : title;
  return (
    <li class="panel">
      <article aria-labelledby={`notification-${id}`}>
        {ad ? (
          <img class="thumb" src={ad.thumbnail} alt="" width="96" height="72" loading="lazy" />
        ) : (
          <span />
        )}
        <div>
          <h2 id={`notification-${id}`} dir="auto">
            {name}
          </h2>
          <p>{text}</p>
          <Matched ads={notification.ads ?? []} />
          <p class="faint">
            {!read && <span class="tag accent">{t('notifications.new')}</span>} {formatAge(at)}
          </p>
        </div>
      </article>
    </li>
  );
}

function Matched({ ads }: { ads: Ad[] }): JSX.Element | null {
  if (ads.length === 0) return null;
  return (
    <ul class="row matched">
      {ads.map((ad) => (
        <li key={ad.pk}>
          <a href={`/a/${ad.pk}`}>
            <img class="thumb" src={ad.thumbnail} alt={ad.title} width="96" height="72" loading="lazy" />
          </a>
        </li>
      ))}
    </ul>
  );
}
