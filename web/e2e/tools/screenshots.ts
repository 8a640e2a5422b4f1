/** Pictures of the pages for the documentation, of the demonstration data. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AdsvcClient } from 'adsvc-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, open, PHONE } from '../support/browser';
import { account, post } from '../support/messages';
import { logIn } from '../support/people';

/** `SHOTS`: every page as long as it is goes to that directory instead, for people who look for what is poor. */
const all = process.env.SHOTS;
const directory = all
  ? join(all, '/')
  : fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
const MOST_BYTES = 150_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  await mkdir(directory, { recursive: true });
});
afterAll(() => browser.close());

type File = Exclude<Parameters<Page['setInputFiles']>[1], string | readonly string[]>;

/** Of the demonstration ads. */
async function vehiclePictures(): Promise<File> {
  const ads = await new AdsvcClient({ baseUrl: inject('url') }).listAds({ category: 'vehicles', limit: 3 });
  return Promise.all(
    ads.results.map(async ({ image }, index) => {
      const answer = await fetch(new URL(image, inject('url')));
      const mimeType = answer.headers.get('content-type') ?? '';
      return { name: `${index}.jpg`, mimeType, buffer: Buffer.from(await answer.arrayBuffer()) };
    }),
  );
}

it.skipIf(process.env.SHOTS).each([
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const)('%s, %s', async (size, colorScheme) => {
  const options =
    size === 'phone' ? { ...PHONE, deviceScaleFactor: 1 } : { viewport: { width: 1100, height: 700 } };
  const { page, context } = await open(browser, { ...options, colorScheme, reducedMotion: 'reduce' });
  const take = async (name: string): Promise<void> => {
    // A page of an account never rests: it has a stream.
    await page.waitForFunction(() =>
      [...document.images].every((one) => one.complete || one.loading === 'lazy'),
    );
    const path = `${directory}${name}-${size}-${colorScheme}.jpg`;
    await page.screenshot({ path, type: 'jpeg', quality: 75 });
    expect((await stat(path)).size, path).toBeLessThan(MOST_BYTES);
  };
  // A second visit has the font.
  await page.goto('/');
  await page.locator('.card').first().waitFor();
  await page.reload();
  await page.locator('.card').first().waitFor();
  await take('home');
  await page.goto('/c/vehicles?sort=price');
  await page.locator('.card').first().waitFor();
  await take('results');
  await page.locator('.card a').first().click();
  await page.locator('.stage img').first().waitFor();
  await take('ad');
  await logIn(page, inject('admin'));
  await page.goto('/post');
  await page.getByLabel('Category').selectOption('cars');
  await page.getByLabel('Title').fill('Estate car, one owner');
  await page.getByLabel('Pictures').setInputFiles(await vehiclePictures());
  await page.getByRole('img', { name: 'Picture 3' }).waitFor();
  await page.locator('.picture-list progress').first().waitFor({ state: 'detached' });
  await page.evaluate(() => scrollTo(0, 0));
  await take('post');
  await page.locator('.post-end summary').click();
  await page.getByRole('button', { name: 'Start over' }).click();
  await context.close();
});

type Step = [name: string, path: string, there: string, then?: (page: Page) => Promise<void>];

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('main').getByRole('button', { name }).first().click();

const EVERYBODY: Step[] = [
  ['home', '/', '.cards img'],
  ['results', '/c/vehicles?minPrice=1', '.cards img'],
  ['results-none', '/search?q=zzzzzz', '.empty'],
  [
    'map',
    '/search?near=52.52,13.405&radius=500000&view=map',
    '.map-cell',
    // When it has come to rest.
    (page) => page.locator('.map-cell').nth(3).waitFor(),
  ],
  ['login', '/account/login', 'form .primary'],
  ['register', '/account/register', 'form .primary'],
  ['not-found', '/nothing-here', 'h1'],
];

const MEMBERS: Step[] = [
  ['my', '/my', '.my-ads article'],
  ['saved', '/my/saved', '.my-ads article'],
  ['searches', '/my/searches', '.searches li'],
  ['notifications', '/my/notifications', 'h1'],
  ['messages', '/messages', '.conversation'],
  ['account', '/account', 'main form'],
  ['preferences', '/account/preferences', '.preferences'],
  ['security', '/account/security', 'main .list li'],
  ['post', '/post', '.pictures-field'],
];

const OFFICE: Step[] = [
  ['review', '/review', '.cases li'],
  [
    'review-case',
    '/review',
    '.cases li',
    async (page) => {
      await page.locator('.cases a').first().click();
      await page.getByRole('heading', { name: 'Decide' }).waitFor();
    },
  ],
  ['console', '/console', '.tile'],
  ['console-ads', '/console/ads', '.console-ad'],
  ['console-categories', '/console/categories', '.list li[data-slug]'],
  ['console-settings', '/console/settings', '.list li'],
];

it.runIf(all).each([390, 1440])('every page, %i px wide', async (width) => {
  const phone = width < 500;
  const size = { viewport: { width, height: phone ? 844 : 900 } };
  const options = phone ? { ...PHONE, ...size, deviceScaleFactor: 1 } : size;
  const { page, context } = await open(browser, { ...options, reducedMotion: 'reduce' });
  const shoot = async (name: string, fullPage = true, of: Page = page): Promise<void> => {
    // Pictures that are loaded late, too.
    await of.evaluate(() => {
      for (const image of document.images) image.loading = 'eager';
    });
    await of
      .waitForFunction(() => [...document.images].every((one) => one.complete), undefined, { timeout: 5000 })
      .catch(() => undefined);
    const path = `${directory}${name}-${width}.jpg`;
    await of.screenshot({ path, type: 'jpeg', quality: 75, fullPage });
  };
  const walk = async (steps: Step[], by: Page = page): Promise<void> => {
    for (const [name, path, there, then] of steps) {
      await by.goto(path);
      await by.locator(there).first().waitFor();
      await then?.(by);
      await shoot(name, true, by);
    }
  };
  await page.goto('/');
  await page.locator('.card').first().waitFor();
  await walk(EVERYBODY);
  await page.goto('/c/vehicles');
  await page.locator('.cards img').first().waitFor();
  if (phone) {
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByRole('button', { name: /^Show \d/ }).waitFor();
    await shoot('filters', false);
    await page.keyboard.press('Escape');
  }
  await page.locator('.card-title').first().click();
  await page.locator('.stage img').first().waitFor();
  await shoot('ad');
  await shoot('ad-top', false);
  await page
    .getByRole('button', { name: /^Show in full screen/ })
    .first()
    .click();
  await page.locator('.full-screen img').waitFor();
  await shoot('full-screen', false);
  await page.keyboard.press('Escape');
  await page.goto((await page.locator('a.seller-who').first().getAttribute('href')) ?? '/');
  await page.locator('.seller-head').waitFor();
  await shoot('seller');

  const [seller, buyer] = [await account('Paula', '+49 30 1234567'), await account('Boris')];
  const [ad, other] = [await post(seller.client, 100), await post(buyer.client, 40)];
  await buyer.client.addFavorite(ad.id);
  await buyer.client.saveSearch({ query: 'category=home', name: 'Home' });
  const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: 'Would you take less?' });
  await seller.client.sendMessage(conversation, { text: 'A little. Come and see it on Friday.' });
  await buyer.client.createComment(other.id, { text: 'It has a scratch on the left.' });
  await seller.client.writeAboutAd(other.id, { text: 'Is it still there?' });
  await seller.client.reportAd(other.id, { reason: 'scam', text: 'Asks for money in advance.' });
  await logIn(page, buyer.name);
  await walk(MEMBERS);
  await walk([
    ['thread', `/messages/${conversation}`, '.messages'],
    ['ad-mine', `/a/${other.id}`, '.owner'],
    ['ad-negotiable', `/a/${ad.id}`, '.seller'],
  ]);
  await page.goto('/c/home');
  await page.locator('.cards img').first().waitFor();
  await press(page, 'Save this search');
  await shoot('save-search');
  await context.close();

  const office = await open(browser, { ...options, reducedMotion: 'reduce' });
  await logIn(office.page, inject('admin'));
  await walk(OFFICE, office.page);
  await office.context.close();
});
