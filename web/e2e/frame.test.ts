/** The frame of every page, the home page, and what cards look like. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, few, launch, open, PHONE, SIZES } from './support/browser';
import { account, post } from './support/messages';
import { logIn } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const tops = (page: Page, selector: string): Promise<number[]> =>
  page.locator(selector).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));

it.each(few(['en-GB', 'de-DE', 'ru-RU']))('the header is one row at every width: %s', async (locale) => {
  const { page, context, wrongs } = await open(browser, { ...DESKTOP, locale });
  const row = async (path: string): Promise<void> => {
    await page.goto(path);
    await page.locator('.main-nav > *').first().waitFor({ state: 'attached' });
    for (const width of [320, 390, 767, 768, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const [header, page_] = await page.evaluate(() => [
        document.querySelector('.top')?.getBoundingClientRect().height ?? 0,
        document.documentElement.scrollWidth,
      ]);
      expect(header, `${path} at ${width}`).toBeLessThanOrEqual(64);
      expect(page_, `${path} at ${width}`).toBeLessThanOrEqual(width);
    }
  };
  await row('/');
  await row('/search');
  await page.setViewportSize({ width: 1280, height: 800 });
  await logIn(page, inject('admin'));
  await row('/');
  await row('/search');
  expect(wrongs).toEqual([]);
  await context.close();
});

it('on a phone five tabs lead to what is done most', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  await page.goto('/');
  const tabs = page.getByRole('navigation', { name: 'Sections' });
  await tabs.waitFor();
  expect(await tabs.getByRole('link').allTextContents()).toEqual([
    'Home',
    'Search',
    'Sell',
    'Messages',
    'Me',
  ]);
  expect(await tabs.locator('use').count()).toBe(5);
  await tabs.getByRole('link', { name: 'Search' }).click();
  await page.waitForURL('**/search');
  expect(await tabs.locator('[aria-current]').textContent()).toBe('Search');
  await page.locator('.card').first().waitFor();
  // What is last on a page can be scrolled above the tabs.
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const [end, top] = await page.evaluate(() => [
    document.querySelector('.bottom')?.getBoundingClientRect().bottom ?? 0,
    document.querySelector('.phone-tabs')?.getBoundingClientRect().top ?? 0,
  ]);
  expect(end).toBeLessThanOrEqual(top + 1);
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await tabs.isVisible()).toBe(false);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('the menu of the account closes by a key, by a press elsewhere, and on another page', async () => {
  const { page, context } = await open(browser);
  await logIn(page, inject('admin'));
  const menu = page.locator('.me-menu summary');
  const link = page.locator('.me-menu').getByRole('link', { name: 'My ads' });
  await menu.click();
  await page.keyboard.press('Escape');
  await link.waitFor({ state: 'hidden' });
  await menu.click();
  await page.locator('.bottom').click();
  await link.waitFor({ state: 'hidden' });
  await menu.click();
  await link.click();
  await page.waitForURL('**/my');
  await link.waitFor({ state: 'hidden' });
  await context.close();
});

it('the home page has what is near only after a place was chosen, and has what is free', async () => {
  const { client } = await account('Gerda');
  // Fewer ads make no row.
  for (let ads = 0; ads < 3; ads += 1) await post(client, 0);
  const { page, context, wrongs } = await open(browser);
  await page.goto('/');
  await page.locator('.category-tiles a use').nth(8).waitFor({ state: 'attached' });
  await page.locator('.card img').first().waitFor();
  expect(await page.getByRole('heading', { name: /^Near/ }).count()).toBe(0);
  await page.goto('/search?near=48.137,11.575&place=M%C3%BCnchen&radius=50000');
  // The heading is there before the scripts, which remember the place.
  await page.waitForFunction(() => Object.values(localStorage).join().includes('München'));
  await page.goto('/');
  await page.getByRole('heading', { name: 'Near München' }).waitFor();
  await page.getByRole('heading', { name: 'Free', exact: true }).waitFor();
  await page.locator('.hero input').fill('table');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/search?q=table');
  expect(await page.locator('.search input').inputValue()).toBe('table');
  expect(wrongs).toEqual([]);
  await context.close();
});

it.each(SIZES)('cards align, and what is still to come has their shape: %s', async (_size, size) => {
  const { page, context } = await open(browser, size);
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/ads?limit=24*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/search');
  const height = async (selector: string): Promise<number> =>
    (await page.locator(selector).first().boundingBox())?.height ?? 0;
  await page.locator('.to-come').first().waitFor();
  const before = await height('.to-come');
  answer();
  await page.locator('.card img').first().waitFor();
  expect(Math.abs((await height('.card')) - before)).toBeLessThanOrEqual(1);
  const rows = new Set(await tops(page, '.card'));
  for (const line of ['.price', '.card-title', '.faint:last-child'])
    expect(new Set(await tops(page, `.card ${line}`)).size, line).toBe(rows.size);
  await context.close();
});

it.each([
  ['no-preference', '0.15s'],
  ['reduce', '0s'],
] as const)('with motion %s a button changes in %s', async (reducedMotion, duration) => {
  const { page, context } = await open(browser, { ...DESKTOP, reducedMotion });
  await page.goto('/account/login');
  const style = (): Promise<string> =>
    page.locator('form .primary').evaluate((button) => getComputedStyle(button).transitionDuration);
  await page.locator('form .primary').waitFor();
  expect(new Set((await style()).split(', '))).toEqual(new Set([duration]));
  await context.close();
});

it.each(few(['light', 'dark']))('nothing is wrong at 320 px, in %s', async (colorScheme) => {
  const { page, context } = await open(browser, {
    ...PHONE,
    viewport: { width: 320, height: 640 },
    colorScheme,
    locale: 'de-DE',
  });
  for (const path of ['/', '/search', '/account']) {
    await page.goto(path);
    await page.locator('main h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await violations(page), path).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320);
  }
  await context.close();
});
