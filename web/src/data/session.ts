/** Who uses the page. */
import { effect, signal } from '@preact/signals';
import { SecondFactorRequiredError } from 'adsvc-client';
import { client, hasSession, type User } from './client';
import { toFault } from './fault';
import { queryClient } from './query';

/** Null without a login; undefined until it is known. */
export const user = signal<User | null | undefined>(undefined);

/** Whether the session can do nothing but set up a second factor, which the operator requires. */
export const factorMissing = signal(false);

/** Whether the session ended by itself or elsewhere, and not by a press on "Log out" here: what was typed is kept. */
export const sessionEnded = signal(false);

const ACCOUNT = 'account';

/**
 * Calls `drop` when the account that used this device last uses it no more: it has logged out, another one has logged
 * in, or its session has ended while no page was open.
 */
export function onOtherPerson(drop: () => void): void {
  drops.add(drop);
}

const drops = new Set<() => void>();
let account: string | null = null;

function lastAccount(): string | null {
  try {
    return localStorage.getItem(ACCOUNT);
  } catch {
    return null; // Storage may be switched off.
  }
}

function keepAccount(next: string | null): void {
  account = next;
  try {
    if (next === null) localStorage.removeItem(ACCOUNT);
    else localStorage.setItem(ACCOUNT, next);
  } catch {
    // It is known as long as the page.
  }
}

/** Another tab may have written down the next one already. */
function comparePersons(): void {
  if (user.value === undefined) return;
  const next = user.value === null ? null : String(user.value.id);
  const last = account ?? lastAccount();
  if (last !== null && last !== next) for (const drop of drops) drop();
  keepAccount(next);
}

/** Buttons can be pressed before it is known. */
export function knownUser(): Promise<User | null> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      const known = user.value;
      if (known === undefined) return;
      resolve(known);
      queueMicrotask(() => stop());
    });
  });
}

async function readUser(): Promise<void> {
  try {
    user.value = await client.getMe();
    factorMissing.value = false;
    sessionEnded.value = false;
  } catch (error) {
    if (toFault(error).slug !== 'second-factor-missing') throw error;
    factorMissing.value = true;
    user.value = null;
  }
}

export async function loadUser(): Promise<void> {
  if (!(await hasSession())) {
    user.value = null;
    return;
  }
  try {
    await readUser();
  } catch (error) {
    // Without a connection the session may still be valid.
    if (toFault(error).status === 401) {
      sessionEnded.value = true;
      user.value = null;
    } else setTimeout(() => void loadUser(), 3000);
  }
}

/** Returns null; or the challenge for `completeLogin`, of an account with an authenticator app. */
export async function logIn(username: string, password: string): Promise<string | null> {
  try {
    await client.login({ username, password });
  } catch (error) {
    if (error instanceof SecondFactorRequiredError && error.problem.challenge) return error.problem.challenge;
    throw error;
  }
  await adopt();
  return null;
}

export async function completeLogin(challenge: string, code: string): Promise<void> {
  await client.completeLogin({ challenge, code });
  await adopt();
}

export async function adopt(): Promise<void> {
  queryClient.clear();
  await readUser();
}

export async function logOut(): Promise<void> {
  // This device is not to show any more what concerns the account. If that fails, the session ends all the same.
  if (await navigator.serviceWorker?.getRegistration().catch(() => undefined))
    await import('../account/push').then(({ turnPushOff }) => turnPushOff()).catch(() => undefined);
  try {
    await client.logout();
  } finally {
    forget();
  }
}

/** The session has ended, here or elsewhere. */
export function forget(): void {
  user.value = null;
  factorMissing.value = false;
  queryClient.clear();
}

/** What happens in other tabs happens here too. */
export function startSession(): void {
  client.onSession(({ type, remote }) => {
    if (type !== 'login') {
      sessionEnded.value = type === 'ended';
      forget();
    } else if (remote) void adopt().catch(() => undefined); // The next page load asks again.
  });
  document.addEventListener('visibilitychange', () => void readAgain());
  effect(comparePersons);
  void loadUser();
}

/** The link that verifies an address opens in another tab, or on another device. */
async function readAgain(): Promise<void> {
  if (document.hidden || user.peek()?.mailVerified !== false) return;
  const me = await client.getMe().catch(() => null);
  if (me && me.id === user.peek()?.id) user.value = me;
}
