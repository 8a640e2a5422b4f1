/** Towns, villages and postcodes: searching near them, posting from them, and the last one. */
import { AdsvcClient } from 'adsvc-client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import de from '../src/i18n/de.json';
import en from '../src/i18n/en.json';
import ru from '../src/i18n/ru.json';
import { few, launch, open, PHONE } from './support/browser';
import { newName, register } from './support/people';
import { file, png } from './support/pictures';

let browser: Browser;
let seller: AdsvcClient;
beforeAll(async () => {
  browser = await launch();
  seller = new AdsvcClient({ baseUrl: inject('url') });
  const account = { username: newName('dealer'), password: inject('password') };
  await seller.register(account);
  await seller.login(account);
});
afterAll(() => browser.close());

let posted = 0;

/** A minivan in the town, the newest car there, and a dearer one. Returns the title of the first. */
async function postCars(q: string): Promise<string> {
  const [town] = (await seller.findPlaces({ q, limit: 1 })).results;
  const titles: string[] = [];
  for (const price of [7500, 8500]) {
    posted += 1;
    titles.push(`Minivan ${process.pid}x${posted}`);
    const picture = new Blob([new Uint8Array(png(320, 240, posted))], { type: 'image/png' });
    const ad = {
      title: titles.at(-1) ?? '',
      price,
      description: 'Seven seats.',
      category: 'cars',
      attributes: { make: 'volkswagen', year: 2015, mileage: 90_000 },
      placeId: town?.id ?? null,
    };
    await seller.createAd(ad, [picture]);
  }
  return titles[0] ?? '';
}

it.each(
  few([
    ['en-GB', en, 'family car', 'without “family”'],
    ['de-DE', de, 'Familienauto', '„Auto“ statt „Familienauto“'],
    ['ru-RU', ru, 'семейный автомобиль', 'без «семейный»'],
  ]),
)('a family car is found near a town and near a postcode, in %s', async (locale, texts, car, relaxed) => {
  const { page, context, wrongs } = await open(browser, { ...PHONE, locale });
  for (const typed of ['Lüneburg', '10115', locale === 'ru-RU' ? 'Мюнхен' : 'Munich']) {
    const title = await postCars(typed);
    await page.goto(`/search?q=${encodeURIComponent(car)}&maxPrice=8000`);
    await page.getByText(title).first().waitFor();
    await page.getByText(relaxed).waitFor();
    await page.getByRole('button', { name: texts['near.me'], exact: true }).tap();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel(texts['near.town'], { exact: true }).fill(typed);
    await sheet.getByLabel(texts['near.town'], { exact: true }).press('Tab');
    await page.waitForURL(/near=[^&]+.*&place=/);
    expect(await page.getByText(texts['near.unknown']).count()).toBe(0);
    await sheet.locator('[data-filter="near"] select').selectOption('30000');
    await page.waitForURL(/radius=30000/);
    await expect.poll(() => page.locator('.card').first().textContent()).toContain(title);
    await page.getByText(relaxed).waitFor();
  }
  // The last place is in the list of the search box, and on the home page.
  await page.goto('/');
  await page.locator('.search input').tap();
  await page.locator('.search [role="option"]').last().tap();
  await page.waitForURL(/near=48\.\d+%2C11\.\d+/);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('an ad is posted from a village, and a search near it is saved by its name', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  posted += 1;
  const word = `wagon${process.pid}x${posted}`;
  await register(page, newName('villager'));
  await page.goto('/post');
  await page.getByLabel('Pictures').setInputFiles([file('one.png', png(640, 480, posted))]);
  await page.getByLabel('Title').fill(`Minivan ${word}`);
  await page.getByLabel('Price', { exact: true }).fill('7000');
  await page.getByLabel('Description').fill('Seven seats, one owner.');
  const offered = page.locator('datalist option[value="Amelinghausen"]').first();
  await page.getByLabel('Place', { exact: false }).first().fill('Amelinghause');
  await offered.waitFor({ state: 'attached' });
  await page.getByLabel('Place', { exact: false }).first().fill('Amelinghausen');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.waitForURL(/\/a\/\d+(-|$)/);
  const id = Number(/\/a\/(\d+)/.exec(page.url())?.[1]);
  const ad = await seller.getAd(id);
  expect([ad.place, ad.locationKind]).toEqual(['Amelinghausen', 'place']);

  await page.goto(`/search?q=${word}&near=53.124,10.213&place=Amelinghausen`);
  await page.locator('.card').first().waitFor();
  await page.getByRole('button', { name: 'Save this search' }).click();
  const form = page.getByRole('form', { name: 'Save this search' });
  await expect.poll(() => form.getByLabel('Name of the search').inputValue()).toMatch(/around Amelinghausen/);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The search is saved.').waitFor();
  await page.goto('/my/searches');
  await page
    .getByRole('link', { name: /Amelinghausen/ })
    .first()
    .click();
  await page.waitForURL(/near=53\.124%2C10\.213/);
  await page.locator('.card').first().waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
