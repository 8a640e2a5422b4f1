/** An ad is reported, hidden, told of, objected to, and visible again. */
import { AdsvcClient } from 'adsvc-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { launch, longTest, open } from './support/browser';
import { account } from './support/messages';
import { loggedIn, logIn, newName, register } from './support/people';
import { file, png } from './support/pictures';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

async function post(page: Page, title: string): Promise<string> {
  await page.goto('/post');
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Price', { exact: true }).fill('90');
  await page.getByLabel('Description').fill('As good as new.');
  await page.getByLabel('Pictures').setInputFiles([file('one.png', png(320, 240, 3))]);
  await page.getByRole('img', { name: 'Picture 1' }).waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.waitForURL(/\/a\/\d+[^/]*$/);
  return /^\/a\/\d+/.exec(new URL(page.url()).pathname)?.[0] ?? '';
}

longTest('an ad that was hidden by mistake comes back after an objection', async () => {
  const seller = await open(browser);
  const buyer = await open(browser);
  const moderator = await open(browser);
  const admin = await open(browser);
  const title = `Lamp ${Date.now().toString(36)}`;
  await register(seller.page, newName('seller'));
  const address = await post(seller.page, title);

  await register(buyer.page, newName('buyer'));
  await buyer.page.goto(address);
  await buyer.page.getByRole('button', { name: 'Report this ad' }).click();
  await buyer.page.getByLabel('What is wrong?').selectOption('scam');
  await buyer.page.getByLabel('Tell us more').fill('Asks for money in advance.');
  await buyer.page.getByRole('button', { name: 'Send the report' }).click();
  await buyer.page.getByText('A moderator will look at it').waitFor();

  const desk = moderator.page;
  await logIn(desk, inject('moderator'));
  await desk.getByRole('link', { name: 'Review' }).click();
  await desk.getByRole('link', { name: title }).click();
  await desk.getByText('Asks for money in advance.').waitFor();
  const late = await moderator.context.newPage();
  await late.goto(desk.url());
  await late.getByRole('button', { name: 'Decide' }).waitFor();
  // What is decided is about what is on the page.
  await seller.page.goto(`${address}/edit`);
  await seller.page.getByLabel('Description').fill('Better than new.');
  await seller.page.getByRole('button', { name: 'Save' }).click();
  await seller.page.getByText('Better than new.').waitFor();
  await desk.getByLabel('Action').selectOption('suspendAd');
  await desk.getByLabel('Explanation').fill('Offers of things that do not exist.');
  await desk.getByRole('button', { name: 'Decide' }).click();
  await desk.getByText('It has changed meanwhile.').waitFor();
  await desk.getByText('Better than new.').waitFor();
  await desk.getByRole('button', { name: 'Decide' }).click();
  await desk.getByText('The decision is made.', { exact: true }).waitFor();
  // The next case follows.
  await desk.goto(late.url());
  await desk.getByText('You decided this, so another moderator has to undo it.').waitFor();
  // Who had the same case open is told that it is decided.
  await late.getByLabel('Action').selectOption('dismiss');
  await late.getByRole('button', { name: 'Decide' }).click();
  await late.getByText('Another moderator has already decided this case.').waitFor();
  await late.getByText('The ad was hidden').waitFor();
  await late.close();
  await buyer.page.goto(address);
  await buyer.page.getByRole('heading', { level: 1 }).waitFor();
  expect(await buyer.page.getByText(title).count()).toBe(0);

  await seller.page.goto('/account/decisions');
  await seller.page.getByText('Offers of things that do not exist.').waitFor();
  await seller.page.getByRole('button', { name: /^Appeal/ }).click();
  await seller.page.getByLabel('Why do you think this is wrong?').fill('It stands in my kitchen.');
  await seller.page.getByRole('button', { name: 'Send the appeal' }).click();
  await seller.page.getByText('You appealed on').waitFor();

  const office = admin.page;
  await logIn(office, inject('admin'));
  await office.goto('/review?status=appealed');
  await office.getByRole('link', { name: title }).click();
  await office.getByText('It stands in my kitchen.').first().waitFor();
  // This browser has not seen the picture before the ad was hidden.
  const picture = office.locator('main img.thumb').first();
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
  // Nor do the pictures of the ad's own page come from their public addresses.
  const decided = office.url();
  await office.goto(address);
  const slide = office.locator('.gallery .stage img').first();
  await expect.poll(() => slide.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await office.goto(decided);
  await office.getByRole('button', { name: 'Undo' }).click();
  await office.getByText('The decision is undone.').waitFor();
  await buyer.page.goto(address);
  await buyer.page.getByRole('heading', { level: 1, name: title }).waitFor();

  for (const one of [seller, buyer, moderator, admin]) {
    expect(one.wrongs).toEqual([]);
    await one.context.close();
  }
});

it('an administrator suspends an account, which is told why, and restores it', async () => {
  const somebody = await open(browser);
  const admin = await open(browser);
  const name = newName('nuisance');
  await register(somebody.page, name);
  const office = admin.page;
  await logIn(office, inject('admin'));
  // Its address before.
  await office.goto('/admin?list=accounts');
  await office.getByLabel('User name begins with').fill(name);
  await office.locator('.list.accounts').waitFor();
  await office
    .getByRole('region', { name: 'Accounts' })
    .getByRole('button', { name: 'Apply', exact: true })
    .click();
  await office.getByRole('button', { name: `Suspend ${name}` }).waitFor();
  // The search is in the address.
  await office.reload();
  await office.getByRole('button', { name: `Suspend ${name}` }).press('Enter');
  // The focus is in the form that came, and back at the button when it goes.
  await office.locator('select:focus').waitFor();
  await office.getByRole('button', { name: 'Cancel' }).press('Enter');
  await office.locator('button:focus', { hasText: 'Suspend' }).waitFor();
  await office.keyboard.press('Enter');
  await office.getByLabel('Explanation').fill('Writes the same to everybody.');
  await office.getByLabel('Days').fill('3 months');
  await office.getByText('Write a whole number, such as 12.').waitFor();
  expect(await office.getByRole('button', { name: 'Suspend', exact: true }).isDisabled()).toBe(true);
  await office.getByLabel('Days').fill('3');
  // The answer to the first request is lost; the second has the same key, so that the account is suspended once.
  const keys: (string | undefined)[] = [];
  const replayed: (string | undefined)[] = [];
  await office.route('**/suspend', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    const answer = await route.fetch();
    replayed.push(answer.headers()['idempotent-replayed']);
    return keys.length === 1 ? route.abort('connectionreset') : route.fulfill({ response: answer });
  });
  await office.getByRole('button', { name: 'Suspend', exact: true }).click();
  await office.getByRole('button', { name: `End the suspension of ${name}` }).waitFor();
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toBeTruthy();
  expect(replayed).toEqual([undefined, 'true']);

  const { page } = somebody;
  await page.goto('/account/login');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Writes the same to everybody.').waitFor();

  await office.getByRole('button', { name: `End the suspension of ${name}` }).click();
  await office.getByText('The account is active again.').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
  await loggedIn(page);
  for (const one of [somebody, admin]) {
    expect(one.wrongs).toEqual([]);
    await one.context.close();
  }
});

longTest('a suspended person reads the decision and appeals without a login', async () => {
  const person = await account('Sergei');
  const admin = new AdsvcClient({ baseUrl: inject('url') });
  await admin.login({ username: inject('admin'), password: inject('password') });
  const { id } = await person.client.getMe();
  await admin.suspendUser(id, { ground: 'terms', explanation: 'Offers of things that do not exist.' });
  const { page, context, wrongs } = await open(browser);
  await page.goto('/account/login');
  await page.getByLabel('User name').fill(person.name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.locator('form .primary').click();
  await page.getByText('Offers of things that do not exist.').waitFor();
  await page.getByRole('link', { name: 'Read the decision, or appeal' }).click();
  await page.getByText('The account was suspended').waitFor();
  expect(await violations(page)).toEqual([]);
  // The token is in no address that is sent or kept.
  expect(new URL(page.url()).hash).toBe('');
  await page.getByLabel('Why do you think this is wrong?').fill('They exist: here is the receipt.');
  await page.getByRole('button', { name: 'Send the appeal' }).click();
  await page.getByText('They exist: here is the receipt.').waitFor();
  expect((await admin.getUser(id)).decisions[0]?.appeal?.text).toBe('They exist: here is the receipt.');
  await page.goto('/account/appeal#token=none');
  await page.getByText('This link was already used, has expired, or is incomplete.').waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
