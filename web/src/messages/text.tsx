/** The words of the inbox, which are loaded with it: names, previews, and texts with their links. */
import type { ComponentChildren } from 'preact';
import type { Conversation, Message } from '../data/client';
import { currency } from '../data/site';
import { addMessages, t } from '../i18n';
import { formatMoney } from '../i18n/format';
import de from '../i18n/inbox/de.json';
import en from '../i18n/inbox/en.json';
import ru from '../i18n/inbox/ru.json';

addMessages({ en, de, ru });

type Other = NonNullable<Conversation['other']>;

export const nameOf = (other: Pick<Other, 'firstName'> | null): string =>
  other ? other.firstName || t('seller.unnamed') : t('inbox.deleted');

/** What happened, by the code of a notice; and what an offer is. */
export function eventText(message: Message, { role, other }: Conversation): string {
  const price = message.offer ? formatMoney(message.offer.price, currency.value) : '';
  if (message.kind === 'offer') return t('offer.of', { price });
  switch (message.text) {
    case 'accepted':
    case 'declined':
    case 'withdrawn':
      return t(`notice.${message.text}`, { price });
    default:
      return role === 'buyer' ? t('notice.soldToYou') : t('notice.soldTo', { name: nameOf(other) });
  }
}

/** One line of a conversation, for the list. */
export function preview(conversation: Conversation): string {
  const { last } = conversation;
  if (last.kind === 'notice') return eventText(last, conversation);
  if (last.removed && !last.mine) return t('inbox.removed');
  const text = last.kind === 'offer' ? eventText(last, conversation) : last.text;
  return last.mine ? t('inbox.you', { text }) : text;
}

const LINK = /https?:\/\/[^\s<>"]+/g;
// What ends the sentence is no part of the link.
const AFTER = /[.,;:!?)\]}'"»”]+$/;

/** Splits a text at its links: the odd parts are links. */
export function linkParts(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const link = found.replace(AFTER, '');
    if (!URL.canParse(link)) continue;
    parts.push(text.slice(from, index), link);
    from = index + link.length;
  }
  return [...parts, text.slice(from)];
}

export function withLinks(text: string): ComponentChildren {
  return linkParts(text).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a key={index} href={part} target="_blank" rel="noopener noreferrer nofollow ugc">
        {part}
      </a>
    ),
  );
}

const WEEK = 7 * 86_400_000;

/** Accounts younger than a week could have been made for a fraud: their links are only text. */
export const mayLink = (other: Other | null): boolean => other !== null && Date.now() - other.since > WEEK;
