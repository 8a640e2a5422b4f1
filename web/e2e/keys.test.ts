/** A key for a program: made, shown once, used, and deleted. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { kept, launch, open } from './support/browser';
import { newName, register } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const statusOf = async (path: string, secret: string, method = 'GET'): Promise<number> => {
  const headers = { Authorization: `Bearer ${secret}` };
  return (await fetch(new URL(path, inject('url')), { method, headers })).status;
};

it('a key is made with its scopes, shown once, and void when it is deleted', async () => {
  const { page, context, wrongs } = await open(browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await register(page, newName('maker'));
  await page.goto('/account/security');
  const keys = page.getByRole('region', { name: 'Keys for programs' });

  await keys.getByRole('button', { name: 'Create a key' }).click();
  const form = keys.getByRole('form', { name: 'Create a key' });
  const create = form.getByRole('button', { name: 'Create' });
  // Neither moderation nor administration is offered to everybody.
  expect(await form.getByRole('checkbox').count()).toBe(6);
  await form.getByLabel('Name').fill('Import');
  expect(await create.isDisabled()).toBe(true);
  await form.getByLabel('Read your profile').check();
  await form.getByLabel('How long it works').selectOption({ label: '30 days' });
  await create.click();

  const field = keys.getByLabel('The new key');
  await field.waitFor();
  const secret = await field.inputValue();
  expect(secret).toMatch(/^adsvc_[0-9A-Za-z]{36}$/);
  await keys.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  expect(await statusOf('/users/me', secret)).toBe(200);
  expect(await statusOf('/ads/me', secret)).toBe(403);
  expect((await kept(page)).join()).not.toContain(secret.slice(12));

  await page.reload();
  const one = keys.getByRole('listitem').filter({ hasText: 'Import' });
  await one.getByText('Last used').waitFor();
  await one.getByText(secret.slice(0, 12)).waitFor();
  await one.getByText('Works until').waitFor();
  expect(await page.content()).not.toContain(secret.slice(12));

  await one.getByRole('button', { name: 'Delete the key Import' }).click();
  await one.getByRole('button', { name: 'Delete the key for good' }).click();
  await one.waitFor({ state: 'detached' });
  expect(await statusOf('/users/me', secret)).toBe(401);
  expect(wrongs).toEqual([]);
  await context.close();
});
