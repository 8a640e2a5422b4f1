/** The search box: suggestions by keyboard and by touch, recent searches, and what was meant. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe';
import { few, launch, open, PHONE } from './support/browser';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const box = (page: Page) => page.locator('.search input');
const options = (page: Page) => page.locator('.search [role="option"]');

async function goHome(page: Page): Promise<void> {
  await page.goto('/');
  await page.locator('.cards img').first().waitFor();
}

it('suggestions are chosen by keyboard, in the language of the page', async () => {
  const { page, wrongs } = await open(browser);
  await goHome(page);
  for (const [language, name] of [
    ['de', 'Autos'],
    ['ru', 'Легковые автомобили'],
    ['en', 'Cars'],
  ]) {
    await page.locator('footer select').selectOption(language ?? '');
    // A word of another language, with a typing error.
    await box(page).fill('automobli');
    await options(page)
      .getByText(name ?? '', { exact: true })
      .waitFor();
  }
  expect(await box(page).getAttribute('aria-expanded')).toBe('true');
  await box(page).press('ArrowDown');
  const active = await box(page).getAttribute('aria-activedescendant');
  expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page)).toEqual([]);
  // Beyond the first is what was typed.
  await box(page).press('ArrowUp');
  expect(await box(page).getAttribute('aria-activedescendant')).toBeNull();
  await box(page).press('Escape');
  expect(await box(page).getAttribute('aria-expanded')).toBe('false');
  expect(await box(page).inputValue()).toBe('automobli');
  await box(page).press('ArrowDown');
  await options(page).first().waitFor();
  await box(page).press('Enter');
  await page.waitForURL(/\/c\/cars$/);
  await page.getByRole('heading', { level: 1, name: 'Cars' }).waitFor();
  expect(await box(page).inputValue()).toBe('');
  expect(wrongs).toEqual([]);
});

it('recent searches stay on this device until they are cleared', async () => {
  const { page, wrongs } = await open(browser, PHONE);
  await goHome(page);
  for (const words of ['oak table', 'sofa']) {
    await box(page).fill(words);
    await box(page).press('Enter');
    await page.waitForURL(new RegExp(`q=${words.replace(' ', '\\+')}$`));
  }
  await goHome(page);
  await box(page).tap();
  await options(page).getByText('oak table', { exact: true }).waitFor();
  expect(await options(page).first().textContent()).toBe('sofa');
  // The list lies over the hearts of cards, which are measured by what is to be seen of them.
  expect(await violations(page, 'search.search')).toEqual([]);
  await options(page).getByText('oak table', { exact: true }).tap();
  await page.waitForURL(/q=oak\+table$/);
  expect(await box(page).getAttribute('aria-expanded')).toBe('false');
  await goHome(page);
  await box(page).tap();
  expect(await options(page).first().textContent()).toBe('oak table');
  await page.getByRole('button', { name: 'Clear recent searches' }).tap();
  await options(page).getByText('oak table', { exact: true }).waitFor({ state: 'detached' });
  expect(await page.evaluate(() => localStorage.getItem('searches'))).toBeNull();
  expect(wrongs).toEqual([]);
});

it.each(
  few([
    ['en-GB', '“bicycle” instead of “bycicle”', 'Search exactly for “bycicle”', 'Notify me', 'No ads found'],
    [
      'de-DE',
      '„bicycle“ statt „bycicle“',
      'Genau nach „bycicle“ suchen',
      'Benachrichtigen',
      'Keine Anzeigen',
    ],
    [
      'ru-RU',
      '«bicycle» вместо «bycicle»',
      'Искать точно «bycicle»',
      'Сообщить о новых',
      'Ничего не найдено',
    ],
  ]),
)('on a phone in %s what was meant is found, with a way back', async (locale, said, exact, notify, none) => {
  const { page, context, wrongs } = await open(browser, { ...PHONE, locale });
  await page.goto('/search?q=bycicle');
  await page.getByText(said).waitFor();
  await page.locator('.cards img').first().waitFor();
  await page.getByRole('button', { name: notify }).waitFor();
  const feed = page.locator('link[type="application/atom+xml"]');
  await expect.poll(() => feed.getAttribute('href')).toContain('q=bicycle');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: exact }).tap();
  await page.getByText(none).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('"bycicle"');
  expect(await page.locator('.relaxed').count()).toBe(0);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('words that are left out are named', async () => {
  const { page, wrongs } = await open(browser);
  await page.goto('/search?q=family%20car');
  await page.getByText('without “family”').waitFor();
  await page.locator('.cards img').first().waitFor();
  await page.goto(`/search?q=${encodeURIComponent('"family" "car"')}`);
  await page.getByText('No ads found').waitFor();
  expect(await page.getByText('without').count()).toBe(0);
  expect(wrongs).toEqual([]);
});
