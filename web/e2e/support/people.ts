/** What people do on the pages, by the names of the controls. */
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { inject } from 'vitest';

let made = 0;

export const newName = (who: string): string => {
  made += 1;
  return `${who}.${process.pid}.${made}@example.com`;
};

export async function register(
  page: Page,
  name: string,
  more: { firstName?: string; phone?: string } = {},
): Promise<void> {
  await page.goto('/');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByLabel('First name').fill(more.firstName ?? '');
  await page.getByLabel('Phone').fill(more.phone ?? '');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

export async function logIn(page: Page, name: string): Promise<void> {
  await page.goto('/');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The same token as it is when its time is over, signed by the same secret. */
export function expired(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const past = Math.floor(Date.now() / 1000) - 3600;
  const text = `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${encode({ ...claims, iat: past - 900, exp: past })}`;
  return `${text}.${createHmac('sha256', inject('secret')).update(text).digest('base64url')}`;
}
