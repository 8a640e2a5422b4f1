/** What is read before the scripts run, and without them; and that they change nothing that is seen. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, launch, open, PHONE, SIZES } from './support/browser';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

it.each(SIZES)('without script a buyer searches, chooses and reads on a %s', async (_size, size) => {
  const { page, context, wrongs } = await open(browser, { ...size, javaScriptEnabled: false });
  await page.goto('/');
  expect(await page.locator('.card').count()).toBeGreaterThan(10);
  await page.locator('.category-tiles a').first().click();
  await page.waitForURL(/\/c\//);
  expect(await page.locator('.card').count()).toBeGreaterThan(0);
  await page.locator('.search input').fill('table');
  await page.locator('.search button').click();
  await page.waitForURL(/\/search\?q=table/);
  const title = await page.locator('.card a').first().textContent();
  await page.locator('.card a').first().click();
  await page.waitForURL(/\/a\/\d+-/);
  expect(await page.locator('h1').textContent()).toBe(title);
  expect(await page.locator('.stage img').count()).toBe(1);
  expect(await page.locator('.as-written').textContent()).not.toBe('');
  expect(wrongs).toEqual([]);
  await context.close();
});

it.each(SIZES)('nothing moves when the scripts take over on a %s', async (_size, size) => {
  for (const path of ['/', '/c/cars', '/search?q=table', 'ad']) {
    const { page, context, wrongs } = await open(browser, size);
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route('**/assets/main-*.js', async (route) => {
      await held;
      await route.continue();
    });
    const answer = await fetch(`${inject('url')}/ads?limit=1`);
    const { results } = (await answer.json()) as { results: { pk: number }[] };
    await page.goto(path === 'ad' ? `/a/${results[0]?.pk}` : path, { waitUntil: 'commit' });
    const first = page.locator('.card img, .stage img').first();
    await first.waitFor();
    expect(await violations(page)).toEqual([]);
    const before = await first.boundingBox();
    go();
    await page.locator('footer select').first().waitFor();
    const after = await first.boundingBox();
    const moved = Math.abs((after?.y ?? 0) - (before?.y ?? 0));
    expect(moved, `${path} ${before?.y} ${after?.y}`).toBeLessThan(24);
    expect(after?.width).toBeCloseTo(before?.width ?? 0, -1);
    expect(wrongs).toEqual([]);
    await context.close();
  }
});

it('what is typed before the scripts run is not lost', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route('**/assets/main-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/', { waitUntil: 'commit' });
  await page.locator('.search input').fill('oak');
  go();
  await page.locator('.search [role="combobox"]').waitFor();
  await expect.poll(() => page.locator('.search input').inputValue()).toBe('oak');
  expect(wrongs).toEqual([]);
  await context.close();
});

it('the address of an ad has its title, in the language of the address', async () => {
  const { page, context, wrongs } = await open(browser, DESKTOP);
  await page.goto('/');
  const href = await page.locator('.card a').first().getAttribute('href');
  expect(href).toMatch(/^\/a\/\d+-[a-z0-9-]+$/);
  await page.goto(`${href?.replace(/-.*/, '')}-nonsense?lang=de`);
  expect(new URL(page.url()).pathname).toBe(href);
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await page.getByRole('heading', { name: 'Beschreibung' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
