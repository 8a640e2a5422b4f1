/** Which ads the person keeps. A heart changes at once, and back where the service refuses. */
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loginAddress } from '../account/enterFirst';
import { navigate } from '../app/router';
import { announce, announceFault } from '../elements/notice';
import { client } from './client';
import { gone, toFault } from './fault';
import { knownUser, user } from './session';
import { pageOf } from './site';

/** As the hearts show it. */
const shown = signal<ReadonlyMap<number, boolean>>(new Map());
/** As the service has it, for the account that is logged in; another account gets another map. */
let stored = new Map<number, boolean>();

const changing = new Set<number>();
const unknown = new Set<number>();

function show(ids: Iterable<number>, on: (id: number) => boolean): void {
  const next = new Map(shown.peek());
  for (const id of ids) next.set(id, on(id));
  shown.value = next;
}

function learn(ids: readonly number[], on: (id: number) => boolean): void {
  const settled = ids.filter((id) => !changing.has(id));
  for (const id of settled) stored.set(id, on(id));
  show(settled, on);
}

/** What a list of favorites shows need not be looked up again. */
export const learnFavorites = (ids: readonly number[]): void => learn(ids, () => true);

// As many as one request may name.
const MOST_NAMED = pageOf(100);

/** The hearts of a page are looked up together. */
async function lookUp(): Promise<void> {
  const ids = [...unknown];
  unknown.clear();
  const account = stored;
  for (let from = 0; from < ids.length; from += MOST_NAMED) {
    const named = ids.slice(from, from + MOST_NAMED);
    const { results } = await client.listMyFavorites({ ad: named, limit: MOST_NAMED });
    if (account !== stored) return;
    const kept = new Set(results.map(({ pk }) => pk));
    learn(named, (id) => kept.has(id));
  }
}

export function useFavorite(id: number): boolean {
  const account = user.value?.id;
  useEffect(() => {
    if (account === undefined || stored.has(id)) return;
    // A page that lists favorites never waits for its hearts: they stay empty until they are known.
    if (unknown.size === 0) setTimeout(() => void lookUp().catch(() => undefined));
    unknown.add(id);
  }, [id, account]);
  return shown.value.get(id) ?? false;
}

export function toggleFavorite(id: number): void {
  void knownUser().then((account) => {
    if (account) return change(id, !(shown.peek().get(id) ?? false));
    remember(id);
    navigate(loginAddress());
  });
}

/** Presses during a request change what it is followed by: one request at a time for an ad. */
async function change(id: number, on: boolean): Promise<void> {
  show([id], () => on);
  if (changing.has(id)) return;
  changing.add(id);
  const account = stored;
  const wanted = (): boolean => shown.peek().get(id) ?? false;
  try {
    while (account === stored && wanted() !== account.get(id)) {
      const next = wanted();
      await (next ? client.addFavorite(id) : gone(client.removeFavorite(id)));
      account.set(id, next);
      if (next) announce('done.favorite');
    }
  } catch (error) {
    if (account !== stored) return;
    const before = account.get(id) ?? !on;
    show([id], () => before);
    announceFault(toFault(error));
  } finally {
    changing.delete(id);
  }
}

const WANTED = 'favorite';

/** For after the login. The page may be loaded anew before, as phones do. */
function remember(id: number): void {
  try {
    sessionStorage.setItem(WANTED, String(id));
  } catch {
    // Storage may be switched off: then the heart has to be pressed again.
  }
}

function remembered(): number | null {
  try {
    const id = sessionStorage.getItem(WANTED);
    sessionStorage.removeItem(WANTED);
    return id === null ? null : Number(id);
  } catch {
    return null;
  }
}

export function startFavorites(): void {
  let account: number | undefined;
  effect(() => {
    const next = user.value?.id;
    if (next === account) return;
    account = next;
    stored = new Map();
    shown.value = new Map();
    unknown.clear();
    const wanted = next === undefined ? null : remembered();
    if (wanted !== null) void change(wanted, true);
  });
}
