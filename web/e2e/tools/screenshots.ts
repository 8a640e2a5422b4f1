/** Pictures of the pages for the documentation, of the demonstration data. */
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, open, PHONE } from '../support/browser';
import { logIn } from '../support/people';
import { file, png } from '../support/pictures';

const directory = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
const MOST_BYTES = 150_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  await mkdir(directory, { recursive: true });
});
afterAll(() => browser.close());

it.each([
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const)('%s, %s', async (size, colorScheme) => {
  const options =
    size === 'phone' ? { ...PHONE, deviceScaleFactor: 1 } : { viewport: { width: 1100, height: 700 } };
  const { page, context } = await open(browser, { ...options, colorScheme, reducedMotion: 'reduce' });
  const take = async (name: string): Promise<void> => {
    await page.waitForLoadState('networkidle');
    const path = `${directory}${name}-${size}-${colorScheme}.png`;
    await page.screenshot({ path });
    expect((await stat(path)).size, path).toBeLessThan(MOST_BYTES);
  };
  await page.goto('/');
  await take('home');
  await page.goto('/c/vehicles?sort=price');
  await page.locator('.card').first().waitFor();
  await take('results');
  await page.locator('.card a').first().click();
  await page.locator('.stage img').first().waitFor();
  await take('ad');
  const ad = new URL(page.url()).pathname;
  await logIn(page, inject('admin'));
  await page.goto(ad);
  await page.getByRole('button', { name: 'Report this ad' }).click();
  await page.getByLabel('What is wrong?').selectOption('category');
  await page.getByLabel('More about it').fill('This is not a vehicle.');
  await page.getByRole('button', { name: 'Send the report' }).click();
  await page.getByText('A moderator will look at it').waitFor();
  await page.goto('/review');
  await page.locator('.cases a').first().click();
  await page.getByRole('heading', { name: 'Decide' }).waitFor();
  await take('review');
  await page.goto('/post');
  await page.getByLabel('Category').selectOption('cars');
  await page.getByLabel('Title').fill('Estate car, one owner');
  await page
    .getByLabel('Pictures')
    .setInputFiles([1, 2, 3].map((seed) => file(`${seed}.png`, png(480, 360, seed))));
  await page.getByRole('img', { name: 'Picture 3' }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await take('post');
  await page.getByRole('button', { name: 'Start over' }).click();
  await context.close();
});
