/** How many notifications are unread, for the bell: by a stream while the page is seen, else asked for. */
import { effect, signal } from '@preact/signals';
import { address } from '../app/router';
import { client } from './client';
import { user } from './session';

export const unread = signal(0);

const MINUTE = 60_000;
const SOONEST = 5000;

let last = 0;
let stream: AbortController | null = null;

/**
 * Follows the number until the page is hidden, for browsers and the service have few connections for each account. A
 * refused or lost stream is replaced by one request, and begins again at the next look.
 */
async function look(): Promise<void> {
  if (!user.peek() || document.hidden || stream || Date.now() - last < SOONEST) return;
  last = Date.now();
  const current = new AbortController();
  stream = current;
  try {
    for await (const event of client.myEvents({}, { signal: current.signal }))
      if (event.type === 'unread' && stream === current) unread.value = event.data.notifications;
  } catch {
    if (stream !== current) return;
    const found = await client.listMyNotifications({ limit: 1 }).catch(() => null);
    if (found && stream === current) unread.value = found.unread;
  } finally {
    if (stream === current) stream = null;
  }
}

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
