/** The jobs of an administrator, from the pages of the console. */
import { readFile } from 'node:fs/promises';
import { AdsvcClient } from 'adsvc-client';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { launch, open } from './support/browser';
import { account, post } from './support/messages';
import { logIn } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const status = (request: Promise<unknown>): Promise<number> =>
  request.then(
    () => 200,
    (error: { status?: number }) => error.status ?? 0,
  );

it('the site is closed, a network refused, a deletion undone, a spammer removed, and ads are moved', async () => {
  const seller = await account('Ines');
  const spammer = await account('Sven');
  const client = new AdsvcClient({ baseUrl: inject('url') });
  await client.login({ username: inject('admin'), password: inject('password') });
  const lost = await post(seller.client, 10);
  await seller.client.deleteAd(lost.id);
  const spam = await post(spammer.client, 20);
  const tag = `x${lost.id}`;
  for (const slug of [`from-${tag}`, `to-${tag}`])
    await client.putCategory(slug, { name: slug, position: 990, parent: null });

  const { page, context, wrongs } = await open(browser);
  await logIn(page, inject('admin'));
  await page.goto('/console/operations');
  const button = (name: string): Locator => page.getByRole('main').getByRole('button', { name, exact: true });
  try {
    await page.getByLabel('The site is').selectOption('read-only');
    await page.getByLabel('Text for users').fill('Back at noon.');
    await page.getByRole('form', { name: 'Maintenance' }).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => status(seller.client.updateMe({ firstName: 'Ina' }))).toBe(503);
    expect((await client.getMaintenance()).text).toBe('Back at noon.');
    await page.getByLabel('The site is').selectOption('off');
    await page.getByRole('form', { name: 'Maintenance' }).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => status(seller.client.updateMe({ firstName: 'Ina' }))).toBe(200);
  } finally {
    await client.changeMaintenance({ mode: 'off' });
  }

  // By the keyboard alone.
  await button('New rule').focus();
  await page.keyboard.press('Enter');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('198.51.100.0/24');
  await page.keyboard.press('Enter');
  await page.getByText('198.51.100.0/24').waitFor();
  expect(await violations(page)).toEqual([]);
  await button('Remove the rule of 198.51.100.0/24').click();
  await page.getByText('198.51.100.0/24').waitFor({ state: 'detached' });

  await button(`Undo the deletion of ${lost.title} #${lost.id}`).click();
  await expect.poll(() => status(client.getAd(lost.id))).toBe(200);

  const { id } = await spammer.client.getMe();
  await page.goto(`/console/accounts/${id}`);
  await button('Remove everything').click();
  await page.getByLabel('Explanation').fill('Offers of things that do not exist.');
  await button('Preview').click();
  await page.getByText('Ads: 1. Pictures: 1. Comments: 0. Messages: 0.').waitFor();
  expect((await client.getAd(spam.id)).status).toBe('active');
  await button('Remove all of this').click();
  await page.getByText('suspended', { exact: true }).waitFor();
  expect((await client.getAd(spam.id)).status).toBe('suspended');
  await page.getByRole('heading', { name: 'Mails of the last seven days' }).waitFor();
  expect(await violations(page)).toEqual([]);
  const saved = page.waitForEvent('download');
  await button('Export data').click();
  expect(JSON.parse(await readFile(await (await saved).path(), 'utf8')).user.email).toBe(spammer.name);
  await button('Delete the account').click();
  await page.getByLabel('Your own password').fill(inject('password'));
  await button('Delete the account').click();
  await button(`Delete for good: ${spammer.name} #${id}`).click();
  await button('Delete for good').click();
  await button(`Delete for good: ${spammer.name} #${id}`).waitFor({ state: 'detached' });
  expect(await status(client.getUser(id))).toBe(404);

  await seller.client.updateAd(lost.id, { category: `from-${tag}` });
  await page.goto('/console/categories');
  await button(`Move ads: from-${tag}`).click();
  await page.getByLabel('To the category').selectOption(`to-${tag}`);
  await page.getByLabel(`Then delete from-${tag}`).check();
  await button('Move ads').click();
  await page.getByText('Ads moved: 1.').waitFor();
  expect((await client.getAd(lost.id)).category).toBe(`to-${tag}`);
  await seller.client.deleteAd(lost.id);
  await client.deleteCategory(`to-${tag}`);
  expect(wrongs).toEqual([]);
  await context.close();
});
