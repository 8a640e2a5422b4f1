/**
 * Messages on their way. Each is kept until the service has it, with the key by which repeated attempts send it once: it
 * outlasts a lost connection, and the page.
 */
import { signal } from '@preact/signals';
import { NetworkError } from 'adsvc-client';
import { get, update } from 'idb-keyval';
import { newKey } from '../data/action';
import { client } from '../data/client';
import { mayRetry, pause, retryDelay, waiting } from '../data/connection';
import { type Fault, toFault } from '../data/fault';
import { OUTBOX } from '../data/keys';
import { user } from '../data/session';
import { forgetTalk } from '../data/unread';
import { showSent } from './queries';

/** The first message about an ad, or one in a conversation. */
export type Target = { ad: number } | { conversation: number };

export interface Outgoing {
  key: string;
  owner: number;
  to: Target;
  text: string;
  /** In milliseconds. */
  at: number;
  /** The last message before it, by its id. */
  after: number;
  /** Why it was refused. Then it waits for the person. */
  fault?: Fault;
}

export const outgoing = signal<readonly Outgoing[]>([]);

/** The service forgets keys after a day: an older attempt might be repeated. */
const LONGEST_KEY = 20 * 3_600_000;
// Longer refusals are shown instead of waited for.
const LONGEST_WAIT_SECONDS = 60;

const sameTarget = (one: Target, other: Target): boolean => JSON.stringify(one) === JSON.stringify(other);

export const waitingFor = (to: Target): Outgoing[] =>
  outgoing.value.filter((one) => sameTarget(one.to, to) && one.owner === user.value?.id);

async function store(change: (all: Outgoing[]) => Outgoing[]): Promise<void> {
  // Without storage, messages wait as long as the page.
  await update<Outgoing[]>(OUTBOX, (all) => change(all ?? [])).catch(() => undefined);
}

function replace(key: string, next: Outgoing | null): Promise<void> {
  const change = (all: readonly Outgoing[]): Outgoing[] =>
    all.flatMap((one) => (one.key !== key ? [one] : next ? [next] : []));
  outgoing.value = change(outgoing.peek());
  return store(change);
}

/** For which messages are being sent, so that those to one target arrive in their order. */
const busy = new Set<string>();

export async function send(to: Target, text: string, after = 0): Promise<void> {
  const owner = user.peek()?.id;
  if (owner === undefined) return;
  const one: Outgoing = { key: newKey(), owner, to, text, at: Date.now(), after };
  outgoing.value = [...outgoing.peek(), one];
  await store((all) => [...all, one]);
  await work(to);
}

export async function sendAgain({ fault: _, ...one }: Outgoing): Promise<void> {
  await replace(one.key, one);
  await work(one.to);
}

export const discard = (one: Outgoing): Promise<void> => replace(one.key, null);

/** Goes on with what was kept when the page was left. */
export async function resume(owner: number): Promise<void> {
  const found = ((await get<Outgoing[]>(OUTBOX)) ?? []).filter((one) => one.owner === owner);
  const known = new Set(outgoing.peek().map(({ key }) => key));
  const tooOld = Date.now() - LONGEST_KEY;
  const kept = found
    .filter(({ key }) => !known.has(key))
    // It may have arrived: the person decides.
    .map((one) =>
      one.at < tooOld && !one.fault ? { ...one, fault: toFault(new NetworkError('too old')) } : one,
    );
  outgoing.value = [...outgoing.peek().filter((one) => one.owner === owner), ...kept];
  await Promise.all(kept.map(({ to }) => work(to)));
}

/** Sends all that waits for a target, one after another, until one is refused. */
async function work(to: Target): Promise<void> {
  const name = JSON.stringify(to);
  if (busy.has(name)) return;
  busy.add(name);
  try {
    for (;;) {
      const [one] = outgoing.peek().filter((each) => sameTarget(each.to, to));
      if (!one || one.fault || one.owner !== user.peek()?.id) return;
      await attempt(one);
    }
  } finally {
    busy.delete(name);
  }
}

async function attempt(one: Outgoing): Promise<void> {
  const { key: idempotencyKey, to, text } = one;
  for (let failures = 0; one.owner === user.peek()?.id; failures += 1) {
    try {
      const message = await ('ad' in to
        ? client.writeAboutAd(to.ad, { text }, { idempotencyKey })
        : client.sendMessage(to.conversation, { text }, { idempotencyKey }));
      waiting.value = null;
      showSent(message);
      await replace(one.key, null);
      void forgetTalk();
      return;
    } catch (error) {
      const fault = toFault(error);
      const soon = (fault.retryAfter ?? 0) <= LONGEST_WAIT_SECONDS;
      // Another tab sends it, or did before the page was loaded again.
      const twice = fault.slug === 'idempotency-in-progress';
      if (!soon || !(twice || mayRetry(failures, error as Error))) {
        await replace(one.key, { ...one, fault });
        return;
      }
      await pause(retryDelay(failures, error as Error));
    }
  }
}
