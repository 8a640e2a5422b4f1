/** Who uses the page. */
import { signal } from '@preact/signals';
import { SecondFactorRequiredError } from 'adsvc-client';
import { client, hasSession, type User } from './client';
import { toFault } from './fault';
import { queryClient } from './query';

/** Null without a login; undefined until it is known. */
export const user = signal<User | null | undefined>(undefined);

export async function loadUser(): Promise<void> {
  if (!(await hasSession())) {
    user.value = null;
    return;
  }
  try {
    user.value = await client.getMe();
  } catch (error) {
    // Without a connection the session may still be valid.
    if (toFault(error).status === 401) user.value = null;
    else setTimeout(() => void loadUser(), 3000);
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
  user.value = await client.getMe();
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
  queryClient.clear();
}

/** What happens in other tabs happens here too. */
export function startSession(): void {
  client.onSession(({ type, remote }) => {
    if (type !== 'login') forget();
    else if (remote) void adopt().catch(() => undefined); // The next page load asks again.
  });
  document.addEventListener('visibilitychange', () => void readAgain());
  void loadUser();
}

/** The link that verifies an address opens in another tab, or on another device. */
async function readAgain(): Promise<void> {
  if (document.hidden || user.peek()?.mailVerified !== false) return;
  const me = await client.getMe().catch(() => null);
  if (me && me.id === user.peek()?.id) user.value = me;
}
