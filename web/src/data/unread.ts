/** How many notifications and messages are unread: by a stream while the page is seen, else asked for. */
import { effect, signal } from '@preact/signals';
import type { PersonalEvent } from 'adsvc-client';
import { address } from '../app/router';
import { client } from './client';
import { toFault } from './fault';
import { queryClient } from './query';
import { user } from './session';
import { pageOf } from './site';

export const unread = signal(0);
export const unreadMessages = signal(0);

const MINUTE = 60_000;
const SOONEST = 5000;

let last = 0;
let stream: AbortController | null = null;

/**
 * Follows the numbers until the page is hidden, with one stream for all tabs that are seen: browsers and the service
 * have few connections for each account. A stream that has ended begins again soon; a refused one is replaced by requests, and begins again at the next look.
 * Whatever comes may have changed what the inbox shows, if that is open.
 */
async function look(): Promise<void> {
  if (!user.peek() || document.hidden || stream || Date.now() - last < SOONEST) return;
  last = Date.now();
  const current = new AbortController();
  stream = current;
  try {
    for await (const event of client.mySharedEvents({ signal: current.signal, reconnect: false })) {
      if (stream !== current) return;
      take(event);
    }
    setTimeout(() => void look(), SOONEST);
  } catch (error) {
    if (stream !== current) return;
    if (toFault(error).kind === 'connection') setTimeout(() => void look(), 2 * SOONEST);
    else await ask(() => stream === current);
  } finally {
    if (stream === current) stream = null;
  }
}

function take(event: PersonalEvent): void {
  if (event.type === 'unread') {
    unread.value = event.data.notifications;
    unreadMessages.value = event.data.messages;
  }
  if (event.type === 'notification') void forgetNotifications();
  else void forgetTalk();
}

const MOST_ASKED = pageOf(100);

async function ask(isCurrent: () => boolean): Promise<void> {
  try {
    const [notifications, conversations] = await Promise.all([
      client.listMyNotifications({ limit: 1 }),
      client.listConversations({ unread: true, limit: MOST_ASKED }),
    ]);
    if (!isCurrent()) return;
    void forgetTalk();
    unread.value = notifications.unread;
    unreadMessages.value = conversations.results.reduce((sum, one) => sum + one.unread, 0);
  } catch {
    // The next look asks again.
  }
}

/** Loads anew what is shown of notifications. One that has gathered more changes no number. */
export const forgetNotifications = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['notifications'] });

/** Loads anew what is shown of conversations. */
export const forgetTalk = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['talk'] });

function end(): void {
  stream?.abort();
  stream = null;
}

/** It looks each minute, at each change of the page, and whenever the page is seen again. */
export function startUnread(): void {
  let account: number | undefined;
  effect(() => {
    const next = user.value?.id;
    address.value;
    if (next !== account) {
      account = next;
      unread.value = 0;
      unreadMessages.value = 0;
      last = 0;
      end();
    }
    void look();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) end();
    else void look();
  });
  setInterval(() => void look(), MINUTE);
}
