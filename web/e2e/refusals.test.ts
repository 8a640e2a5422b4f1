/** What goes wrong is told, and what was typed stays. */
import type { Tokens } from 'adsvc-client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { kept, launch, open } from './support/browser';
import { logOut, newName, register } from './support/people';
import { file, png } from './support/pictures';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

it('too many attempts are counted down, and the button waits', async () => {
  const { page, context, wrongs } = await open(browser);
  await page.clock.install();
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
  await page.clock.fastForward(1000 * first);
  await limited.waitFor({ state: 'detached' });
  expect(await button.isDisabled()).toBe(false);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('a name that is taken is told at its field', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('twice');
  await register(page, name);
  await logOut(page);
  await page.goto('/account/register');
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
  await page.getByRole('button', { name: 'Anmelden', exact: true }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  await page.getByLabel('Sprache').selectOption('ru');
  await page.getByRole('button', { name: 'Войти', exact: true }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Войти', exact: true }).waitFor();
  await context.close();
});

it('a session that was ended elsewhere is over here, and the draft stays', async () => {
  const { page, context, wrongs } = await open(browser);
  await register(page, newName('elsewhere'));
  await page.goto('/post');
  await page.getByLabel('Title').fill('Not lost');
  const other = await context.newPage();
  await other.goto('/');
  await logOut(other);
  // Whoever comes next finds an empty form.
  await page.getByRole('button', { name: 'Continue with an account' }).waitFor();
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('');
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

it('a request without a key is sent once, and its lost answer is shown as such', async () => {
  const { page, context, wrongs } = await open(browser);
  let sent = 0;
  await context.route('**/password/forgot', async (route) => {
    sent += 1;
    await route.fetch();
    return route.abort('connectionreset');
  });
  await page.goto('/account/forgot');
  await page.getByLabel('User name').fill(newName('unlucky'));
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('alert').getByText('It may have worked all the same').waitFor();
  expect(await page.getByRole('button', { name: 'Send the link' }).isEnabled()).toBe(true);
  expect(sent).toBe(1);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('a draft outlives a refusal, an error of the service and a reload; posting it ends it', async () => {
  const { page, context, wrongs } = await open(browser);
  await register(page, newName('refused'));
  await page.goto('/post');
  await page.getByLabel('Title').fill('Kept until it is posted');
  await page.getByLabel('Pictures').setInputFiles([file('one.png', png(320, 240, 3))]);
  await page.getByRole('img', { name: 'Picture 1' }).waitFor();
  const publish = page.getByRole('button', { name: 'Publish' });
  const reloaded = async (): Promise<void> => {
    await page.reload();
    await page.getByRole('img', { name: 'Picture 1' }).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept until it is posted');
  };
  await publish.click();
  await page.getByRole('heading', { name: /missing or not right/ }).waitFor();
  await reloaded();
  await page.getByLabel('Price', { exact: true }).fill('90');
  await page.getByLabel('Description').fill('As good as new.');
  const broken = (url: URL): boolean => url.pathname.endsWith('/publish');
  await page.route(broken, (route) => route.fulfill({ status: 500, body: '' }));
  await publish.click();
  await page.getByRole('alert').first().waitFor();
  await page.unroute(broken);
  await reloaded();
  await publish.click();
  await page.waitForURL(/\/a\/\d+[^/]*$/);
  expect((await kept(page)).filter((entry) => entry.includes('Kept until'))).toEqual([]);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('whoever logs out leaves no token in the browser, and nothing private on its pages', async () => {
  const { page, context, wrongs } = await open(browser);
  await register(page, newName('leaving'));
  const session = (await kept(page)).find((entry) => entry.includes('"refreshToken"')) ?? '';
  const { accessToken, refreshToken } = JSON.parse(session.slice(session.indexOf('{'))) as Tokens;
  const secrets = [accessToken, refreshToken];
  const found = async (): Promise<number> => {
    const everything = (await kept(page)).join('\n');
    return secrets.filter((secret) => everything.includes(secret)).length;
  };
  expect(await found()).toBe(2);
  await page.locator('.card a').first().click();
  const contact = page.getByLabel('Your comment');
  await contact.waitFor();
  const ended = page.waitForResponse((response) => response.url().endsWith('/revoke'));
  await logOut(page);
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await ended;
  expect(await found()).toBe(0);
  // Back without a reload: what was fetched for the session is in no memory either.
  await page.goBack();
  await page.getByRole('button', { name: 'Write to the seller' }).waitFor();
  expect(await contact.count()).toBe(0);
  const again = await fetch(`${new URL(page.url()).origin}/users/me`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(again.status).toBe(401);
  await page.reload();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('deleting an account leaves neither tokens nor its draft in the browser', async () => {
  const { page, context } = await open(browser);
  await register(page, newName('gone'));
  await page.goto('/post');
  await page.getByLabel('Title').fill('Never to be posted');
  await expect.poll(async () => (await kept(page)).join().includes('Never to be posted')).toBe(true);
  await page.goto('/account');
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const form = page.getByRole('region', { name: 'Delete the account' });
  await form.getByLabel('Current password').fill(inject('password'));
  await form.getByRole('button', { name: 'Delete it for good' }).click();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await page.waitForURL(/\/$/);
  expect((await kept(page)).filter((entry) => /draft|session|Never/.test(entry))).toEqual([]);
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
