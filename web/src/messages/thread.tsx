/** One conversation: who it is with and about which ad, what was written, and the means to answer. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { type Conversation, client, type Message } from '../data/client';
import { toFault } from '../data/fault';
import { keepText, keptText } from '../data/kept';
import { usePages, useQuery } from '../data/query';
import { limit } from '../data/site';
import { forgetTalk, unreadMessages } from '../data/unread';
import { Disclosure } from '../elements/disclosure';
import { ActionForm } from '../elements/form';
import { Face, Icon } from '../elements/icon';
import { More } from '../elements/listing';
import { Menu } from '../elements/menu';
import { announce, FaultNotice } from '../elements/notice';
import { Price } from '../elements/price';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { DealState } from './deal';
import { OneMessage, Waiting } from './message';
import { Agreement, MakeOffer, mayOffer } from './offer';
import { type Outgoing, send, waitingFor } from './outbox';
import { blocksQuery, conversationQuery, dealQuery, messagesQuery } from './queries';
import { nameOf } from './text';

export function Thread({ id }: { id: number }): JSX.Element {
  const { data, error } = useQuery(conversationQuery(id));
  const lost = toFault(error).status === 404;
  return (
    <section class="thread" aria-label={t('inbox.conversation')}>
      {data && !lost ? (
        <Shown one={data} />
      ) : (
        <div class="thread-none">
          {error ? <FaultNotice fault={toFault(error)} /> : <p class="faint">{t('loading')}</p>}
          <a href="/messages">{t('inbox.back')}</a>
        </div>
      )}
    </section>
  );
}

function Shown({ one }: { one: Conversation }): JSX.Element {
  return (
    <>
      <Top one={one} />
      <About one={one} />
      <Agreed one={one} />
      <Messages one={one} />
      <Answer one={one} />
    </>
  );
}

function Top({ one }: { one: Conversation }): JSX.Element {
  const { other } = one;
  return (
    <header class="media thread-top">
      <a class="round back" href="/messages" aria-label={t('inbox.back')}>
        <Icon name="left" />
      </a>
      <Face image={other?.image} name={nameOf(other)} size={40} />
      <div class="thread-who">
        <h2 dir="auto">{nameOf(other)}</h2>
        {other && <p class="faint one-line">{t('seller.since', { date: formatDate(other.since) })}</p>}
      </div>
      <ThreadMenu one={one} />
    </header>
  );
}

function ThreadMenu({ one }: { one: Conversation }): JSX.Element {
  const hide = useAction(
    async () => {
      await client.hideConversation(one.id);
      announce('done.hide');
      void forgetTalk();
      navigate('/messages');
    },
    { repeatable: true },
  );
  return (
    <Menu label={t('inbox.more')}>
      <FaultNotice fault={hide.fault} limited={hide.limited} />
      <button type="button" disabled={hide.busy} onClick={() => void hide.run()}>
        {t('inbox.hide')}
      </button>
      {one.other && !one.blocked && <Block id={one.other.id} name={nameOf(one.other)} />}
    </Menu>
  );
}

function Block({ id, name }: { id: number; name: string }): JSX.Element {
  const action = useAction(
    async () => {
      await client.blockUser(id);
      announce('done.block', { name });
      await forgetTalk();
    },
    { repeatable: true },
  );
  return (
    <Disclosure label={t('block.named', { name })} look="danger">
      {(close) => (
        <ActionForm action={action} send={t('block.confirm')} onCancel={close} look="danger">
          <p>{t('block.text')}</p>
        </ActionForm>
      )}
    </Disclosure>
  );
}

function About({ one: { ad, title } }: { one: Conversation }): JSX.Element {
  if (!ad) {
    return (
      <p class="media thread-ad">
        <span class="one-line" dir="auto">
          {title}
        </span>
        <span class="faint">{t('saved.gone')}</span>
      </p>
    );
  }
  return (
    <div class="media thread-ad">
      <img class="thumb" src={ad.thumbnail} alt="" width="48" height="48" />
      <div>
        <a class="one-line" dir="auto" href={`/a/${ad.pk}`}>
          {ad.title}
        </a>
        <p>
          <span class="price">
            <Price of={ad} />
          </span>{' '}
          {ad.status !== 'active' && <span class="badge">{t(`status.${ad.status}`)}</span>}
        </p>
      </div>
    </div>
  );
}

/** What was agreed; after the sale to the buyer of this conversation, the two may rate each other. */
function Agreed({ one }: { one: Conversation }): JSX.Element | null {
  const messages = usePages(messagesQuery(one.id)).data?.pages.flatMap(({ results }) => results);
  const accepted = messages?.find(({ offer }) => offer?.status === 'accepted')?.offer;
  const about = one.ad?.pk ?? 0;
  const { data } = useQuery({ ...dealQuery(about), enabled: one.ad?.status === 'sold' });
  const isOurs = data && data.other?.id === one.other?.id && data.role === one.role;
  if (accepted && one.ad?.status === 'reserved') return <Agreement offer={accepted} one={one} />;
  if (!isOurs) return null;
  return (
    <div class="thread-deal">
      {Date.now() - data.at < 60_000 && (
        <p class="celebrates">
          <strong>{t(`done.${one.role}`)}</strong>
        </p>
      )}
      <DealState deal={data} />
    </div>
  );
}

/** What is shown is read, as soon as the page is seen. */
function useRead(id: number, newest: number | undefined, count: number): void {
  useEffect(() => {
    if (newest === undefined || count === 0) return;
    const read = (): void => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', read);
      client.readMessages(id, { upTo: newest }).then(
        () => {
          unreadMessages.value = Math.max(0, unreadMessages.peek() - count);
          return forgetTalk();
        },
        () => undefined, // The next visit reads it.
      );
    };
    document.addEventListener('visibilitychange', read);
    read();
    return () => document.removeEventListener('visibilitychange', read);
  }, [newest, count > 0]);
}

/** For screen readers: the last message of the other party that came while the page is open. */
function useArrived(newest: Message | undefined): string {
  const seen = useRef<number | null>(null);
  if (newest && seen.current === null) seen.current = newest.id;
  return newest && newest.id !== seen.current && !newest.mine ? newest.text : '';
}

function Messages({ one }: { one: Conversation }): JSX.Element {
  const result = usePages(messagesQuery(one.id));
  const messages = result.data?.pages.flatMap((page) => page.results) ?? [];
  const [newest] = messages;
  useRead(one.id, newest?.id, one.unread);
  const arrived = useArrived(newest);
  const lastMine = messages.find((message) => message.mine && message.kind !== 'notice');
  const shown = [...messages].reverse();
  // The list may have a message before the answer to its sending comes.
  const isThere = ({ fault, text, after }: Outgoing): boolean =>
    !fault && messages.some((message) => message.mine && message.id > after && message.text === text);
  const waiting = waitingFor({ conversation: one.id }).filter((outgoing) => !isThere(outgoing));
  return (
    <>
      {/* Laid out from its end, so that it begins there and stays there when older ones are loaded. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="thread-messages" tabIndex={0} aria-label={t('inbox.messages')}>
        <div class="thread-inner">
          {result.isPending && <p class="faint">{t('loading')}</p>}
          {result.error && <FaultNotice fault={toFault(result.error)} />}
          {result.hasNextPage && (
            <More
              busy={result.isFetchingNextPage}
              failed={result.isFetchNextPageError}
              onMore={() => void result.fetchNextPage()}
              label={t('inbox.older')}
            />
          )}
          {!result.hasNextPage && result.data && <p class="notice safety">{t('inbox.safety')}</p>}
          <ol class="messages">
            {shown.map((message, index) => (
              <OneMessage
                key={message.id}
                message={message}
                one={one}
                newDay={day(message) !== day(shown[index - 1])}
                read={message === lastMine ? (one.readUpTo ?? 0) >= message.id : null}
              />
            ))}
            {waiting.map((outgoing) => (
              <Waiting key={outgoing.key} one={outgoing} />
            ))}
          </ol>
        </div>
      </section>
      <p class="unseen" role="status">
        {arrived}
      </p>
    </>
  );
}

const day = (message: Message | undefined): string => (message ? new Date(message.at).toDateString() : '');

function Answer({ one }: { one: Conversation }): JSX.Element {
  if (!one.other) return <p class="thread-end faint">{t('inbox.closed')}</p>;
  if (one.blocked) return <Blocked other={one.other} />;
  return <Composer one={one} />;
}

function Blocked({ other }: { other: NonNullable<Conversation['other']> }): JSX.Element {
  const { data } = useQuery(blocksQuery());
  const name = nameOf(other);
  const action = useAction(
    async () => {
      await client.unblockUser(other.id);
      await forgetTalk();
    },
    { repeatable: true },
  );
  const mine = data?.results.some(({ id }) => id === other.id);
  return (
    <div class="thread-end">
      <p>{mine ? t('block.yours', { name }) : t('block.any', { name })}</p>
      <FaultNotice fault={action.fault} limited={action.limited} />
      {mine && (
        <button type="button" disabled={action.busy} onClick={() => void action.run()}>
          {t('block.end')}
        </button>
      )}
    </div>
  );
}

/** What is most likely answered. It can be changed before it is sent. */
function quickAnswers({ ad, role }: Conversation): string[] {
  if (ad?.status === 'reserved') return [t('quick.suits'), t('quick.other')];
  if (ad?.status === 'active' && role === 'seller')
    return [t('quick.there'), t('quick.today'), t('quick.promised')];
  return [];
}

/** What is written stays when another conversation is opened. */
function Composer({ one }: { one: Conversation }): JSX.Element {
  const id = useId();
  const place = `conversation ${one.id}`;
  const [text, setText] = useState(() => keptText(place));
  const type = (next: string): void => {
    setText(next);
    keepText(place, next);
  };
  function write(): void {
    if (!text.trim()) return;
    void send({ conversation: one.id }, text, one.last.id);
    type('');
    document.getElementById(id)?.focus();
  }
  const answers = text || one.last.mine || one.last.kind !== 'text' ? [] : quickAnswers(one);
  return (
    <div class="composer">
      {mayOffer(one) && <MakeOffer one={one} label={t('offer.start')} />}
      {answers.length > 0 && (
        <ul class="chips" aria-label={t('quick.label')}>
          {answers.map((answer) => (
            <li key={answer}>
              <button
                type="button"
                onClick={() => {
                  type(answer);
                  document.getElementById(id)?.focus();
                }}
              >
                {answer}
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write();
        }}
      >
        <textarea
          id={id}
          rows={1}
          dir="auto"
          aria-label={t('inbox.writeTo', { name: nameOf(one.other) })}
          placeholder={t('inbox.write')}
          maxLength={limit('messageMaxLength', 4000)}
          value={text}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => {
            // With a keyboard the key sends; where there is a screen keyboard it begins a line.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            if (!matchMedia('(pointer: fine)').matches) return;
            event.preventDefault();
            write();
          }}
        />
        <button type="submit" class="primary icon-only" disabled={!text.trim()} aria-label={t('inbox.send')}>
          <Icon name="send" />
        </button>
      </form>
    </div>
  );
}
