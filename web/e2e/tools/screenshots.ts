/** Pictures of the pages for the documentation, of the demonstration data. */
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AdsvcClient } from 'adsvc-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, open, PHONE } from '../support/browser';
import { logIn } from '../support/people';

const directory = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
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
  await page.getByRole('button', { name: 'Start over' }).click();
  await context.close();
});
