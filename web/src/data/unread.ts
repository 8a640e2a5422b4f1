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

/** Each minute, at each change of the page, and whenever the page is seen again. */
async function look(): Promise<void> {
  const account = user.peek()?.id;
  if (account === undefined || document.hidden || stream || Date.now() - last < SOONEST) return;
  last = Date.now();
  // It renews the session too, whose token the stream takes.
  const found = await client.listMyNotifications({ limit: 1 }).catch(() => null);
  if (!found || account !== user.peek()?.id) return;
  unread.value = found.unread;
  void follow();
}

/**
 * Until the page is hidden, for browsers and the service have few connections for each account. The stream ends with its
 * token; the next look begins another.
 */
async function follow(): Promise<void> {
  const token = (await client.tokens())?.accessToken;
  if (stream || document.hidden || !token) return;
  const current = new AbortController();
  stream = current;
  try {
    const { ok, body } = await fetch('/users/me/stream', {
      headers: { authorization: `Bearer ${token}` },
      signal: current.signal,
    });
    if (ok && body) for await (const data of unreadEvents(body)) if (stream === current) unread.value = data;
  } catch {
    // It is asked for again in any case.
  } finally {
    current.abort();
    if (stream === current) stream = null;
  }
}

/** The numbers of the events `unread` (HTML, "Server-sent events"). */
export async function* unreadEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<number> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: unread\ndata: (.*)$/m.exec(event)?.[1];
      if (data) yield (JSON.parse(data) as { notifications: number }).notifications;
    }
  }
}

function end(): void {
  stream?.abort();
  stream = null;
}

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
