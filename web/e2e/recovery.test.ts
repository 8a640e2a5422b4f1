/** An address is verified, a password is forgotten, and both by links in real mails. */
import { AdsvcClient } from 'adsvc-client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, open } from './support/browser';
import { linkIn } from './support/mails';
import { loggedIn, logOut, newName, register } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

it('who forgot a password comes back by a link, and it works once', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('forgetful');
  await register(page, name);

  await page.goto('/account');
  await page.getByText('not confirmed').waitFor();
  await page.getByRole('button', { name: 'Send me a link to confirm it' }).click();
  await page.getByText('We have sent you a mail with a link').waitFor();
  const tab = await context.newPage();
  await tab.goto(await linkIn(name, '/account/verify'));
  await tab.getByRole('button', { name: 'Confirm the address' }).click();
  await tab.getByRole('heading', { name: 'Address confirmed' }).waitFor();
  // The link has left the address, and its entry once it was used.
  expect(new URL(tab.url()).hash).toBe('');
  await tab.reload();
  await tab.getByText('This link was already used').waitFor();
  await tab.close();
  // Without a screen no tab is ever hidden, so the page is told that it is seen again.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByText('confirmed', { exact: true }).waitFor();
  await logOut(page);
  const program = new AdsvcClient({ baseUrl: inject('url') });
  await program.login({ username: name, password: inject('password') });
  const { secret } = await program.createKey({ name: 'Import', scopes: ['account:read'] });
  const statusOfKey = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${inject('url')}/users/me`, { headers })).status;
  };
  expect(await statusOfKey()).toBe(200);

  await page.goto('/account/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('User name').fill(name);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  const link = await linkIn(name, '/account/reset');
  await page.goto(link);
  await page.getByLabel('New password').waitFor();
  // A phone loads a page again when somebody comes back to it: the link is as good as before.
  expect(new URL(page.url()).hash).toBe('');
  await page.reload();
  await page.getByLabel('New password').fill('quiet-lamp-beside-otter');
  await page.getByLabel('Also end all keys for programs').check();
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('The user name or the password is wrong').waitFor();
  await page.getByLabel('Password').fill('quiet-lamp-beside-otter');
  await page.getByRole('button', { name: 'Log in' }).click();
  await loggedIn(page);
  expect(await statusOfKey()).toBe(401);

  // The same tab, on another page of the site, and then on this one.
  await page.goto('/account/reset');
  await page.getByText('This link was already used').waitFor();
  await page.goto(link);
  await page.getByLabel('New password').fill('another-lamp-beside-otter');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('This link was already used').waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
