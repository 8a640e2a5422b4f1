/** A buyer keeps an ad, hears what becomes of it, and says how. */
import { generateKeyPairSync } from 'node:crypto';
import { AdsvcClient } from 'adsvc-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, launch, open, SIZES } from './support/browser';
import { linkIn } from './support/mails';
import { logIn, logOut, newName, openSaved, register } from './support/people';
import { png } from './support/pictures';

let browser: Browser;
let seller: AdsvcClient;
beforeAll(async () => {
  browser = await launch();
  seller = await account(newName('seller'));
});
afterAll(() => browser.close());

async function account(username: string): Promise<AdsvcClient> {
  const client = new AdsvcClient({ baseUrl: inject('url') });
  const password = inject('password');
  await client.register({ username, password });
  await client.login({ username, password });
  return client;
}

let posted = 0;

async function post(price: number, what = 'Chest of drawers'): Promise<{ id: number; title: string }> {
  posted += 1;
  const title = `${what} ${process.pid} ${posted}`;
  const picture = new Blob([new Uint8Array(png(320, 240, posted))], { type: 'image/png' });
  const ad = await seller.createAd({ title, price, description: 'Solid oak.', category: 'home' }, [picture]);
  return { id: ad.pk, title };
}

const heart = (page: Page, title: string) => page.getByRole('button', { name: `Save: ${title}` });

const resultsOf = (title: string): string => `/search?q=${encodeURIComponent(`"${title}"`)}`;

it.each(SIZES)('an ad is kept before the login, and followed until it is gone, on a %s', async (_, size) => {
  const { page, context, wrongs } = await open(browser, size);
  const [kept, other] = [await post(200), await post(90)];

  // The heart asks for the login, and the ad is kept after it.
  await page.goto(resultsOf(kept.title));
  await heart(page, kept.title).click();
  await page.waitForURL(/\/account\/login/);
  await page.getByRole('link', { name: 'Create one' }).click();
  await page.getByLabel('User name').fill(newName('buyer'));
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Register' }).click();
  await page.waitForURL(/\/search\?q=/);
  await page.getByText('Saved. We will let you know').waitFor();
  expect(await heart(page, kept.title).getAttribute('aria-pressed')).toBe('true');
  await page.reload();
  await page.locator('.card button.heart.on').waitFor();

  // A heart changes at once, and back when the service refuses.
  const gone = await post(10);
  await page.goto(resultsOf(gone.title));
  await heart(page, gone.title).waitFor();
  await seller.deleteAd(gone.id);
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/users/me/favorites/*', (route) => held.then(() => route.continue()));
  await heart(page, gone.title).click();
  await page.locator('.card button.heart.on').waitFor();
  answer();
  await page.getByText('This ad does not exist').waitFor();
  expect(await heart(page, gone.title).getAttribute('aria-pressed')).toBe('false');
  await page.unroute('**/users/me/favorites/*');

  // On the page of the ad it has words; released by mistake, it is pressed again where it was.
  await page.goto(`/a/${other.id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved. We will let you know').waitFor();
  await openSaved(page);
  const row = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  await row(other.title).getByRole('button', { name: 'Saved' }).click();
  await row(other.title).getByRole('button', { name: 'Save', exact: true }).click();
  await row(other.title).getByRole('button', { name: 'Saved' }).waitFor();
  await expect
    .poll(async () => (await seller.listMyAds({})).results.find(({ pk }) => pk === other.id)?.favoriteCount)
    .toBe(1);

  // What becomes of them.
  await seller.updateAd(kept.id, { price: 150 });
  await seller.reserveAd(other.id);
  await page.reload();
  await row(kept.title).getByText('€50 less than when you saved it').waitFor();
  await row(other.title).getByText('Reserved').waitFor();

  // Side by side.
  for (const { title } of [kept, other]) await page.getByLabel(`Compare “${title}”`, { exact: true }).check();
  await page.getByRole('button', { name: 'Compare 2' }).click();
  const table = page.getByRole('dialog', { name: 'Side by side' });
  await table.getByRole('columnheader', { name: kept.title }).waitFor();
  await table.getByRole('row', { name: /^Price €150/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');

  // The bell counts what happened, while the page stays as it is; looking at it reads it, and says what is new until the page is left.
  await page.getByRole('link', { name: 'Notifications, 2 unread' }).click();
  await row(kept.title).getByText('The price fell from €200 to €150.').waitFor();
  await row(other.title).getByText('It is reserved.').waitFor();
  expect(await page.getByText('New', { exact: true }).count()).toBe(2);
  await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
  await page.reload();
  await row(other.title).waitFor();
  expect(await page.getByText('New', { exact: true }).count()).toBe(0);
  await openSaved(page);
  await row(kept.title).waitFor();

  await seller.sellAd(kept.id);
  await seller.deleteAd(other.id);
  await page.reload();
  await row(kept.title).getByText('Sold').waitFor();
  await row('This ad is no longer available').getByRole('button', { name: 'Saved' }).click();
  await expect
    .poll(() =>
      row('This ad is no longer available').getByRole('button', { name: 'Save', exact: true }).count(),
    )
    .toBe(1);
  await page.reload();
  await row(kept.title).waitFor();
  expect(await row('This ad is no longer available').count()).toBe(0);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('nobody is offered to keep an ad of their own', async () => {
  const { page, context, wrongs } = await open(browser);
  await logIn(page, inject('admin'));
  await page.goto('/my');
  await page.locator('.my-ads a').first().click();
  await page.getByRole('link', { name: 'Edit' }).waitFor();
  expect(await page.locator('.ad-side .heart').count()).toBe(0);
  expect(wrongs).toEqual([]);
  await context.close();
});

it.each(SIZES)('a search is saved, reports what is new, and is deleted, on a %s', async (_, size) => {
  const { page, context, wrongs } = await open(browser, size);
  const word = `credenza${process.pid}${posted}`;

  // Who has not logged in does so first, and finds the form with its name.
  await page.goto(`/c/home?q=${word}&minPrice=50`);
  await page.getByText('Home and garden').first().waitFor();
  await page.getByRole('button', { name: 'Save this search' }).click();
  await page.getByRole('link', { name: 'Create one' }).click();
  await page.getByLabel('User name').fill(newName('searcher'));
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Register' }).click();
  const form = page.getByRole('form', { name: 'Save this search' });
  await form.waitFor();
  const proposed = `“${word}” in Home and garden, from €50`;
  await expect.poll(() => form.getByLabel('Name of the search').inputValue()).toBe(proposed);
  await form.getByLabel('Notify me of new ads').selectOption('Once a week');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The search is saved.').waitFor();

  // One that almost everything matches is refused where it was to be saved.
  await page.goto('/search');
  await page.getByRole('button', { name: 'Save this search' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This matches too many ads').waitFor();
  await form.getByRole('button', { name: 'Cancel' }).click();

  // One of two new ads matches. Opened, it is seen.
  const [first] = [await post(120, word), await post(20, word)];
  const row = page.getByRole('listitem').filter({ hasText: word });
  await expect
    .poll(
      async () => {
        await page.goto('/my/searches');
        await row.waitFor();
        return row.locator('.badge').allTextContents();
      },
      { timeout: 30_000, interval: 500 },
    )
    .toEqual(['1 new']);
  expect(await row.getByLabel('Notify me of new ads').inputValue()).toBe('weekly');
  const seen = page.waitForResponse(/\/users\/me\/searches\/\d+\/seen$/);
  await row.getByRole('link').click();
  expect((await seen).status()).toBe(204);
  await page.waitForURL(`**/c/home?q=${word}&minPrice=50`);
  await page.getByRole('link', { name: first.title }).waitFor();
  await page.goBack();
  await openSaved(page);
  await page.getByRole('link', { name: 'Searches' }).click();
  await row.waitFor();
  await expect.poll(() => row.locator('.badge').count()).toBe(0);

  await row.getByLabel('Notify me of new ads').selectOption('Never');
  await row.getByRole('button', { name: 'Rename' }).click();
  await row.getByLabel('Name of the search').fill(`Sideboards, not ${word}`);
  await row.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Sideboards' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Sideboards' }).waitFor();
  expect(await row.getByLabel('Notify me of new ads').inputValue()).toBe('never');
  await row.getByRole('button', { name: 'Delete Sideboards' }).click();
  await row.getByRole('button', { name: 'Delete the search' }).click();
  await page.getByText('You have no saved searches yet').waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('a link in a mail ends the mails of its kind, by a press alone', async () => {
  const name = newName('reader');
  const reader = await account(name);
  await reader.requestMailVerification();
  const verification = new URL(await linkIn(name, '/account/verify'));
  await reader.verifyMail({ token: verification.hash.replace('#token=', '') });
  const ad = await post(400);
  await reader.addFavorite(ad.id);
  await seller.updateAd(ad.id, { price: 300 });
  const link = await linkIn(name, '/unsubscribe', 60);

  const { page, context, wrongs } = await open(browser);
  const mailed = async (): Promise<boolean> => (await reader.getMyPreferences()).priceDropped.mail;
  await page.goto(link);
  const button = page.getByRole('button', { name: 'Unsubscribe' });
  await button.waitFor();
  expect(await mailed()).toBe(true);
  await button.click();
  await page.getByRole('heading', { name: 'Unsubscribed' }).waitFor();
  expect(await mailed()).toBe(false);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('push is turned on by a press, shows what comes, and ends with the session', async () => {
  const { page, context, wrongs } = await open(browser, { ...DESKTOP, serviceWorkers: 'allow' });
  // No service for push is reached from here: the browser's part of a subscription is made by hand.
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const point = [Buffer.of(4), ...[keys.x, keys.y].map((part) => Buffer.from(part ?? '', 'base64url'))];
  await context.addInitScript((p256dh) => {
    const endpoint = 'https://8.8.8.8/send/a-browser';
    const made = {
      endpoint,
      unsubscribe: async () => localStorage.removeItem('subscribed') === undefined,
      toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }),
    };
    PushManager.prototype.getSubscription = async () =>
      (localStorage.getItem('subscribed') ? made : null) as PushSubscription | null;
    PushManager.prototype.subscribe = async (options) => {
      localStorage.setItem('subscribed', String(options?.applicationServerKey));
      return made as unknown as PushSubscription;
    };
    const { requestPermission } = Notification;
    Notification.requestPermission = () => {
      localStorage.setItem('asked', 'yes');
      return requestPermission.call(Notification);
    };
  }, Buffer.concat(point).toString('base64url'));
  const changes: string[] = [];
  page.on('response', (response) => {
    const method = response.request().method();
    // The page lists all browsers that get notifications.
    if (response.url().endsWith('/users/me/push') && method !== 'GET')
      changes.push(`${method} ${response.status()}`);
  });
  await register(page, newName('device'));
  await page.goto('/account/preferences');
  const turnOn = page.getByRole('button', { name: 'Turn on' });
  await turnOn.waitFor();
  expect(await page.evaluate(() => localStorage.getItem('asked'))).toBeNull();
  await turnOn.click();
  await page.getByText('The browser does not allow notifications').waitFor();
  expect(changes).toEqual([]);
  const listed = page.getByRole('heading', { name: 'Where you get notifications' });
  expect(await listed.count()).toBe(0);
  await context.grantPermissions(['notifications']);
  await turnOn.click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  expect(changes).toEqual(['PUT 204']);
  await listed.waitFor();
  expect(await page.evaluate(() => localStorage.getItem('subscribed'))).toMatch(/^[\w-]{87}$/);

  // The worker shows what comes.
  const session = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => {
      if (one) resolve(one.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const message = {
    origin: inject('url'),
    registrationId: await registered,
    data: JSON.stringify({ title: 'Oak table', body: 'Now 150 EUR', url: '/a/1', tag: 'ad-1' }),
  };
  // A worker that is being replaced by itself loses what comes meanwhile. One tag is one notification.
  const shown = async (): Promise<string[]> => {
    await session.send('ServiceWorker.deliverPushMessage', message);
    return page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      return (await registration.getNotifications()).map(({ title, body, tag, data }) =>
        [title, body, tag, data].join(', '),
      );
    });
  };
  await expect.poll(shown).toEqual(['Oak table, Now 150 EUR, ad-1, /a/1']);

  await logOut(page);
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await expect.poll(() => changes).toEqual(['PUT 204', 'DELETE 204']);
  expect(await page.evaluate(() => localStorage.getItem('subscribed'))).toBeNull();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('preferences are kept, each by itself', async () => {
  const { page, context, wrongs } = await open(browser, { viewport: { width: 320, height: 700 } });
  await register(page, newName('chooser'));
  await page.goto('/account');
  await page.getByRole('link', { name: 'Notification settings' }).click();
  const box = (name: string) => page.getByRole('checkbox', { name });
  // A reload would cancel a request that is under way.
  const click = async (name: string) => {
    const saved = page.waitForResponse(
      (answer) => answer.request().method() === 'PATCH' && answer.url().endsWith('/users/me/preferences'),
    );
    await box(name).click();
    expect((await saved).ok()).toBe(true);
  };
  const chosen = page.locator('.preferences :checked');
  await chosen.first().waitFor();
  const before = await chosen.count();
  await click('A saved ad costs less: Mail');
  await click('A saved ad is sold: Push');
  await click('Mails about messages include the text of the message');
  await expect.poll(() => chosen.count()).toBe(before);
  await page.reload();
  await box('A saved ad costs less: Mail').waitFor();
  expect(await box('A saved ad costs less: Mail').isChecked()).toBe(false);
  expect(await box('A saved ad is sold: Push').isChecked()).toBe(true);
  expect(await box('Mails about messages include the text of the message').isChecked()).toBe(false);
  expect(await box('A saved ad is sold: On the site').isChecked()).toBe(true);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
  await page.route('**/users/me/preferences', (route) => route.fulfill({ status: 503, body: '' }));
  await box('A saved ad is sold: On the site').click();
  await page.getByRole('alert').waitFor();
  expect(await box('A saved ad is sold: On the site').isChecked()).toBe(true);
  expect(wrongs).toEqual([]);
  await context.close();
});

/** Texts by people whose direction the page does not leave to the browser. */
const undirected = (page: Page, marker: string): Promise<string[]> =>
  page.evaluate((text) => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent?.includes(text) || !parent || parent.closest('bdi')) continue;
      if (parent.closest('[dir]')?.getAttribute('dir') !== 'auto') found.push(parent.outerHTML);
    }
    return found;
  }, marker);

it('texts of people have their own direction on every page of a buyer', async () => {
  const { page, context, wrongs } = await open(browser);
  const marker = 'שולחן';
  await seller.updateMe({ firstName: marker });
  const ad = await post(200, marker);
  const buyer = newName('buyer');
  await register(page, buyer);
  const client = new AdsvcClient({ baseUrl: inject('url') });
  await client.login({ username: buyer, password: inject('password') });
  await client.saveSearch({ query: `q=${encodeURIComponent(ad.title)}`, name: marker });
  await client.addFavorite(ad.id);
  await client.writeAboutAd(ad.id, { text: marker });
  await client.createKey({ name: marker, scopes: ['ads:read'] });
  const me = await seller.getMe();
  const found: Record<string, string[]> = {};
  const look = async (...addresses: string[]): Promise<void> => {
    for (const address of addresses) {
      await page.goto(address);
      await page.locator(`main :text("${marker}") >> visible=true`).first().waitFor();
      const faults = await undirected(page, marker);
      if (faults.length > 0) found[address] = faults;
    }
  };
  await look(
    `/a/${ad.id}`,
    resultsOf(ad.title),
    `/seller/${me.id}`,
    '/my/searches',
    '/my/saved',
    '/messages',
  );
  await client.blockUser(me.id);
  await look('/account', '/account/security');
  expect(found).toEqual({});
  await client.unblockUser(me.id);
  await seller.updateMe({ firstName: '' });
  expect(wrongs).toEqual([]);
  await context.close();
});
