/** How many notifications are unread, for the bell. */
import { effect, signal } from '@preact/signals';
import { address } from '../app/router';
import { client } from './client';
import { user } from './session';

export const unread = signal(0);

const MINUTE = 60_000;
const SOONEST = 5000;

let last = 0;

async function ask(): Promise<void> {
  const account = user.peek()?.id;
  if (account === undefined || document.hidden || Date.now() - last < SOONEST) return;
  last = Date.now();
  const found = await client.listMyNotifications({ limit: 1 }).catch(() => null);
  if (found && account === user.peek()?.id) unread.value = found.unread;
}

export function startUnread(): void {
  let account: number | undefined;
  effect(() => {
    const next = user.value?.id;
    // Each change of the page asks.
    address.value;
    if (next !== account) {
      account = next;
      unread.value = 0;
      last = 0;
    }
    void ask();
  });
  document.addEventListener('visibilitychange', () => void ask());
  setInterval(() => void ask(), MINUTE);
}
