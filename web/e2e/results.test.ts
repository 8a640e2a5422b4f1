/** Results on a phone: a row of chips, all filters in a sheet, and ads at the top of the screen. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, few, launch, open, PHONE } from './support/browser';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const BERLIN: BrowserContextOptions = {
  ...PHONE,
  geolocation: { latitude: 52.52, longitude: 13.405 },
  permissions: ['geolocation'],
};

async function count(page: Page): Promise<number> {
  const text = await page.locator('[role="status"]', { hasText: /\d/ }).first().textContent();
  return Number(text?.replace(/\D/g, ''));
}

it.each(
  few([
    ['en-GB', 'Filters', /^Show \d+ ads?$/],
    ['de-DE', 'Filter', /^\d+ Anzeigen? zeigen$/],
    ['ru-RU', 'Фильтры', /^Показать \d+ объявлен/],
  ]),
)('on a phone in %s the sheet counts while filters are chosen', async (locale, filters, show) => {
  const { page, context, wrongs } = await open(browser, { ...PHONE, locale });
  await page.goto('/c/vehicles');
  await page.locator('.cards img').first().waitFor();
  const [main, cards] = await Promise.all([
    page.locator('main').boundingBox(),
    page.locator('.cards').boundingBox(),
  ]);
  expect((cards?.y ?? 0) - (main?.y ?? 0)).toBeLessThan(200);
  const all = await count(page);
  await page.getByRole('button', { name: filters, exact: true }).tap();
  const sheet = page.getByRole('dialog', { name: filters });
  const shown = sheet.getByRole('button', { name: show });
  await shown.waitFor();
  expect(await violations(page)).toEqual([]);
  await sheet.locator('.check input').first().tap();
  await page.waitForURL(/attr=/);
  await expect.poll(async () => Number((await shown.textContent())?.replace(/\D/g, ''))).toBeLessThan(all);
  const few = Number((await shown.textContent())?.replace(/\D/g, ''));
  await shown.tap();
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => count(page)).toBe(few);
  expect(await page.locator('.quick .chips li').count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('chips open the sheet at their filter, and Escape gives the focus back', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  await page.goto('/c/vehicles');
  const chip = page.getByRole('button', { name: 'Condition', exact: true });
  await chip.click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  const group = sheet.getByRole('group', { name: 'Condition' });
  await group.waitFor();
  expect(await group.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  expect(await chip.evaluate((element) => element === document.activeElement)).toBe(true);
  // Everything is taken away at once.
  await page.goto('/c/vehicles?minPrice=1&priceType=fixed');
  await page.getByRole('button', { name: 'Filters (2)', exact: true }).click();
  await sheet.getByRole('button', { name: 'Clear all' }).click();
  await page.waitForURL(/\/c\/vehicles$/);
  await sheet.getByRole('button', { name: /^Show \d+ ads$/ }).click();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('near me is one press, and has the nearest first', async () => {
  const { page, context, wrongs } = await open(browser, BERLIN);
  await page.goto('/search');
  await page.locator('.cards img').first().waitFor();
  await page.getByRole('button', { name: 'Near me', exact: true }).tap();
  await page.waitForURL(/near=52\.52%2C13\.405/);
  expect(await page.getByLabel('Sort by').inputValue()).toBe('distance');
  await expect.poll(() => page.locator('.card .faint ~ .faint').first().textContent()).toMatch(/km/);
  const distances = await page.locator('.card').evaluateAll((cards) =>
    cards.map((card) => {
      // Behind the line of facts, which may be of kilometres too.
      const where = card.querySelector('.faint ~ .faint')?.textContent ?? '';
      return Number(/([\d.]+) km/.exec(where.replaceAll(',', ''))?.[1]);
    }),
  );
  expect(distances).toEqual([...distances].sort((one, other) => one - other));
  expect(wrongs).toEqual([]);
  await context.close();
});

it('who may not be located chooses a town in the sheet', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  await page.goto('/search');
  await page.getByRole('button', { name: 'Near me', exact: true }).tap();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await sheet.getByLabel('Near a town').fill('Berlin');
  await sheet.getByLabel('Near a town').press('Tab');
  await page.waitForURL(/place=Berlin/);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('on a desktop the filters stand beside the ads', async () => {
  const { page, context, wrongs } = await open(browser, DESKTOP);
  await page.goto('/c/cars');
  await page.locator('.filters .bands button').first().waitFor();
  const bands = await page.locator('.filters .bands button').allTextContents();
  expect(bands.filter((band) => /^(\S+) – \1 /.test(band))).toEqual([]);
  expect(await page.locator('.quick').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(wrongs).toEqual([]);
  await context.close();
});
