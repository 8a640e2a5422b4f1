/** Texts that wait: those that are being written, and whether there are messages that were not sent yet. */
import { effect } from '@preact/signals';
import { get, update } from 'idb-keyval';
import { OUTBOX } from './keys';
import { onOtherPerson, sessionEnded, user } from './session';

const PREFIX = 'text ';

/** What was typed at a place and not sent, in this tab: it outlasts the login and a reload. */
export function keptText(place: string): string {
  try {
    return sessionStorage.getItem(PREFIX + place) ?? '';
  } catch {
    return ''; // Storage may be switched off.
  }
}

export function keepText(place: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(PREFIX + place, text);
    else sessionStorage.removeItem(PREFIX + place);
  } catch {
    // It lasts as long as the page.
  }
}

function dropTexts(): void {
  try {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  } catch {
    // There are none.
  }
}

/** What a deleted account did not send. */
export async function dropOutbox(owner: number): Promise<void> {
  const others = (all: { owner: number }[] = []) => all.filter((one) => one.owner !== owner);
  await update<{ owner: number }[]>(OUTBOX, others).catch(() => undefined);
}

/** Whose texts they are: those of an account whose session has ended wait for the same account. */
const OWNER = 'texts-of';

function adoptTexts(next: number): void {
  try {
    const owner = sessionStorage.getItem(OWNER);
    if (owner !== null && owner !== String(next)) dropTexts();
    sessionStorage.setItem(OWNER, String(next));
  } catch {
    // There are none.
  }
}

/** Sends what was not sent when the page was left. The code for it is loaded only if there is something. */
export function startOutbox(): void {
  onOtherPerson(() => {
    if (!sessionEnded.peek()) dropTexts();
  });
  let account: number | undefined;
  effect(() => {
    const next = user.value?.id;
    if (next === account) return;
    account = next;
    if (next === undefined) return;
    adoptTexts(next);
    get<unknown[]>(OUTBOX)
      .then((found) => (found?.length ? import('../messages/outbox') : null))
      .then((outbox) => outbox?.resume(next))
      .catch(() => undefined); // The next visit tries again.
  });
}
