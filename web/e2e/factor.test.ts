/** Accounts with an authenticator app: the second step of the login, and the code at a new password. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, longTest, open } from './support/browser';
import { linkIn } from './support/mails';
import { loggedIn, logOut, newName, register, send, setUpApp } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const NEW_PASSWORD = 'quiet-lamp-beside-otter';

/** The first step of the login; the second is there afterwards. */
async function enter(page: Page, name: string, password = inject('password')): Promise<void> {
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).last().click();
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
}

async function giveCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await page.getByLabel('Code').press('Enter');
}

it('a login takes a code of the app, or a recovery code, and each challenge counts once', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('careful');
  await register(page, name);
  const app = await setUpApp(name);

  await page.goto('/account/login?next=/my/saved');
  await enter(page, name);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('autocomplete'))).toBe(
    'one-time-code',
  );
  await giveCode(page, '12345');
  await page.getByText('This code is wrong, or was used before').waitFor();
  await giveCode(page, app.code());
  await page.waitForURL('**/my/saved');
  await logOut(page);

  await page.goto('/account/login');
  await enter(page, name);
  // The answer is lost, so the challenge and the first code are used up without a session here.
  await page.route(
    '**/login/second-factor',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await giveCode(page, app.recoveryCodes[0] ?? '');
  await page.getByText('The connection was lost').waitFor();
  await giveCode(page, app.recoveryCodes[1] ?? '');
  await page.getByText('This login is no longer valid').waitFor();
  await enter(page, name);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  expect(await page.getByText('This login is no longer valid').count()).toBe(0);
  await enter(page, name);
  await giveCode(page, (app.recoveryCodes[2] ?? '').toLowerCase().replaceAll('-', ' '));
  await loggedIn(page);
  expect(wrongs).toEqual([]);
  await context.close();
});

longTest('a forgotten password is replaced by a link and a code', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('doubly');
  await register(page, name);
  await page.goto(await linkIn(name, '/account/verify'));
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
  const app = await setUpApp(name);

  await send('/password/forgot', { username: name });
  await page.goto(await linkIn(name, '/account/reset'));
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await giveCode(page, '12345');
  await page.getByText('This code is wrong, or was used before').waitFor();
  await giveCode(page, app.code());
  await page.getByText('The password is changed').waitFor();
  await enter(page, name, NEW_PASSWORD);
  await giveCode(page, app.code());
  await loggedIn(page);
  expect(wrongs).toEqual([]);
  await context.close();
});
