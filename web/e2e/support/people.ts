/** What people do on the pages, by the names of the controls. */
import { createHmac } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { inject } from 'vitest';

let made = 0;

export const newName = (who: string): string => {
  made += 1;
  return `${who}.${process.pid}.${made}@example.com`;
};

/** What only those see who have logged in, whatever the size. */
const notifications = (page: Page): Locator => page.locator('.main-nav a[href="/my/notifications"]');

export const loggedIn = (page: Page): Promise<void> => notifications(page).waitFor();

/** By the menu; on a phone it is on the page of the account. */
export async function logOut(page: Page): Promise<void> {
  await loggedIn(page);
  const menu = page.locator('.me-menu summary');
  if (await menu.isVisible()) await menu.click();
  else await page.getByRole('link', { name: 'Me', exact: true }).click();
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  // A page that is opened before would cancel the request.
  await notifications(page).waitFor({ state: 'detached' });
}

/** By the header; on a phone by the page of the account. */
export async function openSaved(page: Page): Promise<void> {
  await loggedIn(page);
  const link = page.locator('.main-nav a[href="/my/saved"]').first();
  if (await link.isVisible()) return link.click();
  await page.getByRole('link', { name: 'Me', exact: true }).click();
  await page.locator('main a[href="/my/saved"]').click();
}

export async function register(
  page: Page,
  name: string,
  more: { firstName?: string; phone?: string } = {},
): Promise<void> {
  await page.goto('/account/register');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByLabel('First name').fill(more.firstName ?? '');
  await page.getByLabel('Phone').fill(more.phone ?? '');
  await page.getByRole('button', { name: 'Register' }).click();
  await loggedIn(page);
}

/** In any language. */
export async function logIn(page: Page, name: string): Promise<void> {
  await page.goto('/account/login');
  await page.locator('main [autocomplete^="username"]').fill(name);
  await page.locator('main [autocomplete="current-password"]').fill(inject('password'));
  await page.locator('form .primary').click();
  await loggedIn(page);
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The same token as it is when its time is over, signed by the same secret. */
export function expired(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const past = Math.floor(Date.now() / 1000) - 3600;
  const text = `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${encode({ ...claims, iat: past - 900, exp: past })}`;
  return `${text}.${createHmac('sha256', inject('secret')).update(text).digest('base64url')}`;
}

/** Sends JSON to the service; throws what it refuses with. */
export async function send(path: string, body: object, token = ''): Promise<Record<string, unknown>> {
  const answer = await fetch(inject('url') + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  const content = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${content}`);
  return content ? JSON.parse(content) : {};
}

/** As the same person on another device would. */
export async function endSessions(username: string): Promise<void> {
  const { access_token: token } = await send('/login', { username, password: inject('password') });
  const headers = { authorization: `Bearer ${token}` };
  const listed = await (await fetch(`${inject('url')}/users/me/sessions`, { headers })).json();
  for (const { id, current } of listed.results as { id: number; current: boolean }[])
    if (!current) await fetch(`${inject('url')}/users/me/sessions/${id}`, { method: 'DELETE', headers });
}

export interface App {
  /** Not used before: each counts once. The service accepts three at any time. */
  code: () => string;
  recoveryCodes: string[];
}

const STEP = 30_000;

/** RFC 6238: the code of a time step, from a secret in base 32. */
function totp(secret: string, step: number): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** What an authenticator app shows for a secret: three codes at any time, the oldest first. */
export function codesOf(secret: string): () => string {
  let used = 0;
  return () => {
    used = Math.max(used + 1, Math.floor(Date.now() / STEP) - 1);
    return totp(secret, used);
  };
}

/** Sets up an authenticator app for an account, which ends its other sessions. */
export async function setUpApp(username: string): Promise<App> {
  const password = inject('password');
  const { access_token: token } = await send('/login', { username, password });
  const begun = await send('/users/me/totp', { currentPassword: password }, String(token));
  const code = codesOf(String(begun.secret));
  const { recoveryCodes } = await send('/users/me/totp/confirm', { code: code() }, String(token));
  return { code, recoveryCodes: recoveryCodes as string[] };
}
