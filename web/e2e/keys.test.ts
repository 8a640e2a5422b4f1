/** What programs need: a key, made, shown once, used and deleted; and a webhook, with what became of its deliveries. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

it('a webhook of the account shows its secret once, its deliveries, and why it was disabled', async () => {
  let status = 200;
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(status === 200 ? 'thank you' : 'moved away');
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { page, context, wrongs } = await open(browser);
  await register(page, newName('dealer'));
  await page.goto('/account/security');
  await page.getByRole('link', { name: 'Webhooks of your account' }).click();
  await page.getByText('No webhooks yet.').waitFor();

  await page.getByRole('button', { name: 'New webhook' }).click();
  const form = page.getByRole('form', { name: 'New webhook' });
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  await form.getByLabel('Address').fill(address);
  // Of its own ads, messages, offers and searches.
  expect(await form.getByRole('checkbox').count()).toBe(17);
  await form.getByLabel('ad.sold').check();
  await form.getByRole('button', { name: 'New webhook' }).click();
  await page.getByText(/whsec_/).waitFor();
  await page.reload();
  const hook = page.getByRole('listitem').filter({ hasText: address });
  await hook.waitFor();
  expect(await page.getByText(/whsec_/).count()).toBe(0);

  await hook.getByRole('button', { name: /^Send a test/ }).click();
  await hook.getByRole('button', { name: /^Deliveries/ }).click();
  const deliveries = hook.getByRole('region', { name: 'Deliveries' });
  await deliveries.getByText('thank you').waitFor();

  status = 410;
  await hook.getByRole('button', { name: /^Send a test/ }).click();
  await hook.getByText(/the address answered 410/).waitFor();
  await deliveries.getByText('moved away').waitFor();

  status = 200;
  await hook.getByRole('button', { name: /^Enable/ }).click();
  await hook.getByRole('button', { name: /^Disable/ }).waitFor();
  await deliveries.getByLabel('Failed in').selectOption({ label: 'the last hour' });
  await deliveries.getByRole('button', { name: 'Send failed deliveries again' }).click();
  await deliveries.getByText('moved away').waitFor({ state: 'detached' });
  expect(await deliveries.getByText('thank you').count()).toBe(2);
  expect(wrongs).toEqual([]);
  await context.close();
  receiver.close();
});
