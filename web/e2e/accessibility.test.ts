/** No page breaks a rule that axe knows, in light and dark, on a phone and on a desktop. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { DESKTOP, launch, open, PHONE } from './support/browser';
import { logIn, newName, send, setUpApp } from './support/people';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let browser: Browser;
let source: string;
beforeAll(async () => {
  browser = await launch();
  source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});
afterAll(() => browser.close());

/**
 * Gives the administrator favorites and a search, and puts a case into the queue that the administrator may decide. Nobody can report an ad of their own or decide about one, and
 * the newest may be those of other tests: a case that was decided is not opened again by an account that is younger than a
 * day.
 */
async function prepare(): Promise<void> {
  const ask = (path: string, body: object, token = '', method = 'POST'): Promise<Response> =>
    fetch(inject('url') + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const tokenOf = async (username: string): Promise<string> => {
    const login = await ask('/login', { username, password: inject('password') });
    return ((await login.json()) as { access_token: string }).access_token;
  };
  const own = await tokenOf(inject('admin'));
  const authorization = `Bearer ${own}`;
  const me = await fetch(`${inject('url')}/users/me`, { headers: { authorization } });
  const { id } = (await me.json()) as { id: number };
  const token = await tokenOf(inject('moderator'));
  type Ads = { results: { pk: number; author: number }[] };
  const ads = (await (await fetch(`${inject('url')}/ads`)).json()) as Ads;
  for (const { pk, author } of ads.results.slice(0, 6))
    if (author !== id) await ask(`/users/me/favorites/${pk}`, {}, own, 'PUT');
  await ask('/users/me/searches', { query: 'category=cars', name: 'Cars' }, own);
  for (const { pk, author } of ads.results.reverse())
    if (author !== id && (await ask(`/ads/${pk}/reports`, { reason: 'other' }, token)).ok) return;
  throw new Error('no ad could be reported');
}

async function violations(page: Page): Promise<string[]> {
  // By the debugger, as the policy of the page lets no other script in.
  await page.evaluate(source);
  const results = await page.evaluate(
    (values) =>
      (
        window as unknown as { axe: { run: (context: Document, options: object) => Promise<AxeResults> } }
      ).axe.run(document, { runOnly: { type: 'tag', values } }),
    RULES,
  );
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
}

/** Each with what is there once it has come. */
async function pages(page: Page): Promise<[string, string][]> {
  await page.goto('/');
  const ad = (await page.locator('.cards a').first().getAttribute('href')) ?? '';
  return [
    ['/', '.cards img'],
    ['/search', '.cards img'],
    ['/c/cars', '.filters fieldset'],
    ['/search?q=zzzzzz', '.empty'],
    [ad, '.gallery img'],
    ['/nothing-here', 'h1'],
    ['/account/login', 'form .primary'],
    ['/account/register', 'form .primary'],
    ['/account/forgot', 'form .primary'],
    ['/account/reset#token=x', 'form .primary'],
    ['/account/verify#token=x', 'main .primary'],
    ['/unsubscribe?token=x', 'main .primary'],
    ['/post', 'main .primary'],
  ];
}

const OWN: [string, string][] = [
  ['/post', '.pictures-field'],
  ['/my', '.my-ads article'],
  ['/my/saved', '.my-ads article'],
  ['/my/searches', '.searches li'],
  ['/my/notifications', '.empty'],
  ['/account', '.sessions li'],
  ['/account/preferences', '.preferences'],
  ['/account/decisions', '.empty'],
  ['/review', '.cases li'],
  ['/admin?list=accounts', '.accounts li'],
  // The category editor is opened from here.
  ['/admin', '.admin-list li'],
];

it.each([
  ['light', 'phone', PHONE],
  ['dark', 'phone', PHONE],
  ['light', 'desktop', DESKTOP],
  ['dark', 'desktop', DESKTOP],
] as const)('in %s on a %s', async (colorScheme, _size, size) => {
  const { page, context, wrongs } = await open(browser, { ...size, colorScheme });
  const found: Record<string, string[]> = {};
  const check = async ([path, there]: [string, string]): Promise<void> => {
    await page.goto(path);
    await page.locator(there).first().waitFor({ state: 'attached' });
    found[path] = await violations(page);
  };
  for (const one of await pages(page)) await check(one);
  const username = newName('second');
  await send('/register', { username, password: inject('password') });
  await setUpApp(username);
  await page.goto('/account/login');
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(inject('password'));
  await page.locator('form .primary').click();
  await page.getByLabel('Code').waitFor();
  found['/account/login code'] = await violations(page);
  await logIn(page, inject('admin'));
  await prepare();
  for (const one of OWN) await check(one);
  await page.getByRole('button', { name: /^Edit Cars/ }).click();
  found['/admin editing'] = await violations(page);
  await page.goto('/review');
  await page.locator('.cases a').first().click();
  await page.getByLabel('What is done').selectOption('suspendAccount');
  found['/review/{id}'] = await violations(page);
  await page.goto('/my');
  await page.getByRole('link', { name: 'Edit' }).first().click();
  await page.locator('.picture-list img').first().waitFor();
  found['/a/{id}/edit'] = await violations(page);
  expect(Object.entries(found).filter(([, wrong]) => wrong.length > 0)).toEqual([]);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('an ad can be found and read by keyboard alone', async () => {
  const { page, context } = await open(browser);
  await page.goto('/');
  await page.locator('.cards a').first().waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.closest('.card') !== null)) break;
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/a\/\d+$/);
  await page.locator('.stage img').first().waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  await context.close();
});

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
  await page.waitForURL(/\/a\/\d+$/);
  await page.goBack();
  await page.locator('.card').nth(40).waitFor();
  await page.waitForFunction((wanted) => Math.abs(scrollY - wanted) < 200, before);
  await context.close();
});
