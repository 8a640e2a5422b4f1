/** The inbox: on a phone the list, then a conversation; on wider screens both, side by side. */
import type { JSX } from 'preact';
import '../styles/messages.css';
import { SignedIn } from '../account/enterFirst';
import { NotFoundPage } from '../app/notFound';
import { address, type PageProps } from '../app/router';
import type { Conversation } from '../data/client';
import { usePages } from '../data/query';
import { Listing } from '../elements/listing';
import { useTitle } from '../elements/page';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatAge } from '../i18n/format';
import { type Chosen, conversationsQuery } from './queries';
import { nameOf, preview } from './text';
import { Thread } from './thread';

export function InboxPage({ parameters }: PageProps): JSX.Element {
  const id = parameters.id === undefined ? null : Number(parameters.id);
  if (id !== null && (!Number.isSafeInteger(id) || id < 1)) return <NotFoundPage />;
  return <SignedIn title={t('shell.messages')}>{() => <Inbox id={id} />}</SignedIn>;
}

/** `?unread=true` and `?ad=7`, as for the service. */
function chosen(): Chosen {
  const { searchParams } = address.value;
  const ad = Number(searchParams.get('ad'));
  return {
    ...(searchParams.get('unread') === 'true' ? { unread: true } : {}),
    ...(Number.isSafeInteger(ad) && ad > 0 ? { ad } : {}),
  };
}

function Inbox({ id }: { id: number | null }): JSX.Element {
  useTitle(t('shell.messages'));
  return (
    <div class={id === null ? 'inbox' : 'inbox open'}>
      <h1 tabIndex={-1}>{t('shell.messages')}</h1>
      <nav class="inbox-list" aria-label={t('inbox.list')}>
        <List at={id} />
      </nav>
      {id === null ? (
        <p class="inbox-none faint">{t('inbox.choose')}</p>
      ) : (
        // A conversation keeps nothing of the one before.
        <Thread key={id} id={id} />
      )}
    </div>
  );
}

function List({ at }: { at: number | null }): JSX.Element {
  const wanted = chosen();
  const { search } = address.value;
  return (
    <>
      <Tabs
        label={t('inbox.show')}
        tabs={[
          { href: '/messages', text: t('my.all'), current: !wanted.unread && !wanted.ad },
          { href: '/messages?unread=true', text: t('inbox.unread'), current: wanted.unread ?? false },
          ...(wanted.ad
            ? [{ href: `/messages?ad=${wanted.ad}`, text: t('inbox.aboutAd'), current: true }]
            : []),
        ]}
      />
      <Listing
        result={usePages(conversationsQuery(wanted))}
        look="conversations"
        none={{
          drawing: 'talk',
          text: t(wanted.unread ? 'inbox.noneUnread' : 'inbox.none'),
          to: wanted.unread
            ? { href: '/messages', text: t('inbox.back') }
            : { href: '/search', text: t('notFound.search') },
        }}
        each={(one: Conversation) => <Row key={one.id} one={one} current={one.id === at} search={search} />}
      />
    </>
  );
}

function Row({
  one,
  current,
  search,
}: {
  one: Conversation;
  current: boolean;
  /** Stays, so that the list stays as it is. */
  search: string;
}): JSX.Element {
  const { id, ad, title, other, unread, updatedAt } = one;
  return (
    <li class={unread > 0 ? 'conversation new' : 'conversation'}>
      {ad ? (
        <img class="thumb" src={ad.thumbnail} alt="" width="56" height="56" loading="lazy" />
      ) : (
        <span class="thumb" />
      )}
      <div>
        <p class="conversation-who">
          <a
            href={`/messages/${id}${search}`}
            dir="auto"
            {...(current ? { 'aria-current': 'page' as const } : {})}
          >
            {nameOf(other)}
          </a>
          <span class="faint">{formatAge(updatedAt)}</span>
        </p>
        <p class="one-line" dir="auto">
          {ad?.title ?? title}
        </p>
        <p class="conversation-last">
          <span class="one-line faint" dir="auto">
            {preview(one)}
          </span>
          {unread > 0 && (
            <span class="badge">
              <span aria-hidden="true">{unread}</span>
              <span class="unseen">{t('inbox.unreadCount', { count: unread })}</span>
            </span>
          )}
        </p>
      </div>
    </li>
  );
}
