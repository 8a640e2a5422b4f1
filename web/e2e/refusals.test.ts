/** What goes wrong is told, and what was typed stays. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, open } from './support/browser';
import { newName, register } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

it('too many attempts are counted down, and the button waits', async () => {
  const { page, context, wrongs } = await open(browser);
  await page.goto('/account/login');
  await page.getByLabel('User name').fill(newName('stranger'));
  const button = page.getByRole('button', { name: 'Log in' });
  const limited = page.getByText('Too many attempts');
  for (let attempt = 0; attempt < 15 && !(await limited.count()); attempt += 1) {
    await page.getByLabel('Password').fill(`wrong-${attempt}-password`);
    await button.click();
    await page.getByRole('alert').first().waitFor();
    await page.waitForFunction(
      () => !document.querySelector('form .primary:disabled') || document.querySelector('.notice'),
    );
  }
  await limited.waitFor();
  expect(await button.isDisabled()).toBe(true);
  const seconds = async (): Promise<number> =>
    Number(
      /([\d,]+) second/.exec((await page.locator('.notice').textContent()) ?? '')?.[1]?.replace(',', ''),
    );
  const first = await seconds();
  expect(first).toBeGreaterThan(0);
  await page.waitForFunction(
    (before) =>
      Number(
        /([\d,]+) second/.exec(document.querySelector('.notice')?.textContent ?? '')?.[1]?.replace(',', ''),
      ) < before,
    first,
  );
  expect(wrongs).toEqual([]);
  await context.close();
});

it('a name that is taken is told at its field', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('twice');
  await register(page, name);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill('plain-otter-under-lamp');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('This user name is taken.').waitFor();
  expect(await page.getByLabel('User name').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('User name').inputValue()).toBe(name);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('the language follows the browser, and can be changed', async () => {
  const { page, context } = await open(browser, { locale: 'de-AT' });
  await page.goto('/account/login');
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  await page.getByLabel('Sprache').selectOption('ru');
  await page.getByRole('button', { name: 'Войти' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Войти' }).waitFor();
  await context.close();
});

it('a session that was ended elsewhere is over here, and the draft stays', async () => {
  const { page, context, wrongs } = await open(browser);
  await register(page, newName('elsewhere'));
  await page.goto('/post');
  await page.getByLabel('Title').fill('Not lost');
  const other = await context.newPage();
  await other.goto('/');
  await other.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You need an account for this.').waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('what was done is done once, though the answer to it is lost', async () => {
  const { page, context } = await open(browser);
  const lost = new Set<string>();
  await context.route(/\/(register|comments)$/, async (route) => {
    const request = route.request();
    if (request.method() !== 'POST' || lost.has(request.url())) return route.continue();
    lost.add(request.url());
    await route.fetch();
    return route.abort('connectionreset');
  });
  await register(page, newName('unlucky'));
  await page.locator('.card a').first().click();
  await page.getByLabel('Your comment').fill('Said once');
  await page.getByRole('button', { name: 'Send comment' }).click();
  await page.getByText('Said once', { exact: true }).waitFor();
  expect(lost.size).toBe(2);
  expect(await page.getByText('Said once', { exact: true }).count()).toBe(1);
  await context.close();
});

it('what is typed stays, however soon the page is left', async () => {
  const { page, context } = await open(browser);
  await register(page, newName('hasty'));
  await page.goto('/post');
  await page.getByLabel('Title').fill('Left at once');
  await page.getByRole('link', { name: 'adsvc' }).click();
  await page.locator('.card').first().waitFor();
  await page.goBack();
  await page.getByLabel('Title').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Left at once');
  await context.close();
});

it('a list that cannot go on says so, and asks again only when told', async () => {
  const { page, context } = await open(browser);
  let asked = 0;
  await context.route(/\/ads\?.*cursor=/, (route) => {
    asked += 1;
    return route.fulfill({ status: 500, body: '' });
  });
  await page.goto('/search');
  await page.locator('.card').nth(20).waitFor();
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  await page.getByRole('alert').waitFor();
  const before = asked;
  await page.waitForFunction(() => new Promise((resolve) => setTimeout(() => resolve(true), 400)));
  expect(asked).toBe(before);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => asked).toBe(before + 1);
  await context.close();
});
