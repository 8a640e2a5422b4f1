/** No page breaks a rule that axe knows, nor is wider than the screen, in any look and language. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { DESKTOP, launch, open, PHONE } from './support/browser';
import { type Looked, looksOf } from './support/looks';
import { account, type Person, post } from './support/messages';
import { logIn, logOut, newName, send, setUpApp } from './support/people';
import { file, png } from './support/pictures';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Each in a browser of its own, which ends in the same way. */
async function walk(way: (page: Page, look: Looked) => Promise<void>, size = DESKTOP): Promise<void> {
  const { page, context, wrongs } = await open(browser, size);
  const look = looksOf(page);
  await way(page, look);
  expect(look.found).toEqual({});
  expect(wrongs).toEqual([]);
  await context.close();
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('main').getByRole('button', { name }).first().click();

it('what everybody may see', () =>
  walk(async (page, look) => {
    const sold = await account('Paula');
    const { id } = await post(sold.client, 10);
    await sold.client.sellAd(id);

    await look.at('/', '.cards img');
    await page.getByRole('combobox', { name: 'Search ads' }).fill('ca');
    await page.getByRole('option').first().waitFor();
    await look.now('/ with suggestions');
    await look.at('/search', '.cards img');
    await look.at('/search?q=zzzzzz', '.empty');
    await look.at('/c/cars?minPrice=1', '.cards img');
    await page.locator('.card-title').first().click();
    await page.locator('.gallery img').first().waitFor();
    await look.now('/a/{id}');
    await page.getByRole('button', { name: 'Write to the seller' }).click();
    await page.getByLabel('Your message').waitFor();
    await look.now('/a/{id} with a message');
    await page.goto(new URL(page.url()).pathname);
    await page
      .getByRole('button', { name: /^Show in full screen/ })
      .first()
      .click();
    await page.locator('.full-screen img').waitFor();
    await look.now('/a/{id} in full screen');
    await page.keyboard.press('Escape');
    await look.at((await page.locator('.seller a').first().getAttribute('href')) ?? '', '.cards img');
    await look.at(`/a/${id}`, '.cards img');
    await look.at('/nothing-here', 'h1');
    await look.at('/pages/imprint', 'h1');
    await look.at('/offline.html', 'h1');
    await look.at('/account/login', 'form .primary');
    await look.at('/account/register', 'form .primary');
    await look.at('/account/forgot', 'form .primary');
    await look.at('/account/reset#token=x', 'form .primary');
    await look.at('/account/verify#token=x', 'main .primary');
    await look.at('/account/not-me#token=x', 'main .danger');
    await look.at('/unsubscribe?token=x', 'main .primary');
    await look.at('/post', 'main .primary');
  }));

it('what is on a phone only', () =>
  walk(async (page, look) => {
    await page.goto('/c/cars');
    await page.locator('.cards img').first().waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Show \d/ })
      .waitFor();
    await look.now('/c/cars with filters', 'narrow');
    await page.keyboard.press('Escape');
    await page.locator('.card-title').first().click();
    await page.locator('.contact-bar').getByRole('button', { name: 'Write' }).click();
    await page.getByLabel('Your message').waitFor();
    await look.now('/a/{id} with a message in a sheet', 'narrow');
  }, PHONE));

it('what has a map', () =>
  walk(async (page, look) => {
    await page.goto('/search?near=52.52,13.405&radius=500000&view=map');
    await page.locator('.map-cell').first().waitFor();
    await page.locator('.map-list .card img').first().waitFor();
    await look.now('/search?view=map');
    await page.goto('/search?near=52.52,13.405&radius=500000');
    await page.locator('.card-title').first().click();
    const where = page.getByRole('region', { name: 'Where it is' });
    await where.scrollIntoViewIfNeeded();
    await where.locator('canvas').waitFor();
    await look.now('/a/{id} with its map');
  }));

it('what a seller has', () =>
  walk(async (page, look) => {
    const seller = await account('Paula');
    const buyer = await account('Boris');
    const ad = await post(seller.client, 100);
    await buyer.client.writeAboutAd(ad.id, { text: 'Is it oak?' });
    await logIn(page, seller.name);

    await look.at('/my/saved', '.empty');
    await look.at('/post', '.pictures-field');
    await page.getByLabel('Category').selectOption('cars');
    await page.getByLabel('Title').fill('Bookshelf, two metres');
    await page
      .getByLabel('Pictures')
      .setInputFiles([1, 2].map((one) => file(`${one}.png`, png(640, 480, one))));
    await page.getByText('The draft is saved').waitFor();
    await page.locator('.picture-standing').first().waitFor({ state: 'detached' });
    await press(page, 'Publish');
    await page.getByRole('heading', { name: /missing or not right/ }).waitFor();
    await look.now('/post with faults');
    await press(page, 'Edit picture 1');
    await page.getByRole('button', { name: 'Turn or crop' }).waitFor();
    await look.now('/post with a sheet');
    await press(page, 'Turn or crop');
    await page.getByRole('slider').first().waitFor();
    await look.now('/post with a picture');
    await page.keyboard.press('Escape');
    await page.locator('.post-end summary').click();
    await press(page, 'Start over');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await look.now('/post with a notice');

    await look.at('/my', '.my-ads article');
    await page.locator('.my-ads .menu summary').first().click();
    await look.now('/my with a menu');
    await press(page, 'Delete');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await look.now('/my with a way back');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.my-ads article').first().waitFor();
    await look.at('/my?status=withdrawn', '.empty');
    await page.goto(`/a/${ad.id}`);
    await press(page, 'Mark as sold');
    await page.getByLabel('Boris').waitFor();
    await look.now('/a/{id} with a buyer');
    await look.at(`/a/${ad.id}/edit`, '.picture-list img');
  }));

it('what a buyer has', () =>
  walk(async (page, look) => {
    const seller = await account('Paula', '+49 30 1234567');
    const buyer = await account('Boris');
    const other = await account('Ivan');
    const ad = await post(seller.client, 100);
    await buyer.client.addFavorite(ad.id);
    await buyer.client.saveSearch({ query: 'category=home', name: 'Home' });
    // Only an account that one has met can be blocked.
    await post(other.client, 100);
    await buyer.client.blockUser((await other.client.getMe()).id);
    const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: 'Would you take less?' });
    const text = 'I pay in advance: https://pay.example.com';
    await seller.client.sendMessage(conversation, { text });
    await logIn(page, buyer.name);

    await page.goto(`/a/${ad.id}`);
    await press(page, 'Show phone number');
    await press(page, 'Report this ad');
    await page.getByLabel('What is wrong?').waitFor();
    await look.now('/a/{id} with a report');
    await page.goto('/c/home');
    await press(page, 'Save this search');
    await look.now('/c/home with a search to save');
    await look.at('/my/saved', '.my-ads article');
    await look.at('/my/searches', '.searches li');
    await press(page, 'Rename Home');
    await look.now('/my/searches with a name');
    await look.at('/my/imports', 'form');
    await look.at('/my/searches/999999', 'h1');
    await look.at('/my/notifications', 'h1');
    await look.at('/messages', '.conversation');
    await page.goto(`/messages/${conversation}`);
    await press(page, 'Make an offer');
    await look.now('/messages/{id} with a price');
    await page.getByLabel('Your price').fill('60');
    await press(page, 'Send the offer');
    await page.locator('.offer').waitFor();
    await page.locator('main .menu summary').click();
    await press(page, /^Block/);
    await look.now('/messages/{id} with a question');
  }));

it('what an account has', () =>
  walk(async (page, look) => {
    const { name } = await account('Anna');
    await logIn(page, name);
    await page.goto('/account');
    await press(page, 'Delete my account');
    await look.now('/account');
    await look.at('/account/preferences', '.preferences');
    await look.at('/account/decisions', '.empty');
    await page.goto('/account/webhooks');
    await press(page, 'New webhook');
    await page.getByLabel('Address').waitFor();
    await look.now('/account/webhooks');
    await page.goto('/account/security');
    await page.locator('main .list li').first().waitFor();
    await press(page, 'Create a key');
    await press(page, 'Set up the app');
    const app = page.getByRole('region', { name: 'Authenticator app' });
    await app.getByLabel('Current password').fill(inject('password'));
    await app.getByLabel('Current password').press('Enter');
    await page.getByLabel('The code that the app shows').waitFor();
    await look.now('/account/security');

    const second = newName('second');
    await send('/register', { username: second, password: inject('password') });
    await setUpApp(second);
    await page.locator('.me-menu summary').click();
    await look.now('/account/security with the menu', 'wide');
    await page.goto('/account');
    await logOut(page);
    await page.goto('/account/login');
    await page.getByLabel('User name').fill(second);
    await page.getByLabel('Password').fill(inject('password'));
    await page.locator('form .primary').click();
    await page.getByLabel('Code').waitFor();
    await look.now('/account/login with a code');
  }));

/** A report of an ad, by an account that counts; nobody decides about an ad of their own. */
async function reported(reporter: Person): Promise<number> {
  const seller = await account('Knut');
  const { id } = await post(seller.client, 5);
  await reporter.client.reportAd(id, { reason: 'scam', text: 'Asks for money in advance.' });
  return id;
}

it('what moderators have', () =>
  walk(async (page, look) => {
    await reported(await account('Rita'));
    await logIn(page, inject('moderator'));
    await look.at('/review', '.cases li');
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await look.now('/review with its keys');
    await page.keyboard.press('Escape');
    await look.at('/review?status=appealed', 'h1');
    await look.at('/review?status=decided', 'main h1');
    await page.goto('/review');
    await page.locator('.cases a').first().click();
    await page.getByLabel('Action').selectOption('suspendAccount');
    await look.now('/review/{id}');
  }));

it('what administrators have', () =>
  walk(async (page, look) => {
    const suspended = await account('Nils');
    await logIn(page, inject('admin'));
    await look.at('/console', '.tile');
    await page.goto('/console/ads');
    await page.locator('.console-ad input').first().check();
    await page.getByLabel('Explanation').waitFor();
    await look.now('/console/ads');
    await page.goto(`/console/accounts?q=${suspended.name}`);
    await press(page, /^Suspend/);
    await page.getByLabel('Explanation').waitFor();
    await look.now('/console/accounts');
    const { id } = await suspended.client.getMe();
    await page.goto(`/console/accounts/${id}`);
    await press(page, 'Change the role');
    await page.getByLabel('Your own password').waitFor();
    await look.now('/console/accounts/{id}');
    await look.at('/console/audit', '.list li');
    await look.at('/console/outbox?status=dead', '.empty');
    await page.goto('/console/jobs');
    await press(page, /^Run now/);
    await page.getByText('Requested.').waitFor();
    await look.now('/console/jobs');
    await page.goto('/console/keys');
    await press(page, 'Create a key');
    await look.now('/console/keys');
    await page.goto('/console/webhooks');
    await press(page, 'New webhook');
    await page.getByLabel('Address').waitFor();
    await look.now('/console/webhooks');
    await look.at('/console/settings', '.list li');
    await look.at('/console/categories', '.list li[data-slug]');
    await press(page, /^Edit Cars/);
    await page.locator('.attribute-editor').first().waitFor();
    await look.now('/console/categories with a category');
    await look.at('/console/nothing', 'h1');
  }));

it('on the way back a list is as long as it was, and where it was', async () => {
  const { page, context } = await open(browser);
  await page.goto('/search');
  await page.locator('.card').nth(23).waitFor();
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  await page.locator('.card').nth(40).waitFor();
  const card = page.locator('.card a').nth(36);
  await card.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => new Promise((resolve) => setTimeout(() => resolve(true), 400)));
  const before = await page.evaluate(() => scrollY);
  await card.click();
  await page.waitForURL(/\/a\/\d+[^/]*$/);
  await page.goBack();
  await page.locator('.card').nth(40).waitFor();
  await page.waitForFunction((wanted) => Math.abs(scrollY - wanted) < 200, before);
  await context.close();
});
