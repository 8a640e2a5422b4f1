/** The storefront as an app: it can be installed, and shows what was seen last while there is no network. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { launch, longTest, open, PHONE } from './support/browser';
import { logIn, logOut } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const APP = { ...PHONE, serviceWorkers: 'allow' } as const;

/** Until the worker has the page, and what the page has loaded passes through it. */
async function controlled(page: Page): Promise<void> {
  await page.goto('/');
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** The addresses and the texts of all that the worker keeps. */
const keptOf = (page: Page): Promise<{ url: string; authorization: boolean; text: string }[]> =>
  page.evaluate(async () => {
    const found = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const answer = await cache.match(request, { ignoreVary: true });
        const text = answer?.headers.get('content-type')?.includes('json') ? await answer.text() : '';
        const authorization = request.headers.has('authorization');
        found.push({ url: new URL(request.url).pathname, authorization, text });
      }
    }
    return found;
  });

it('can be installed', async () => {
  const { page, context, wrongs } = await open(browser, APP);
  await controlled(page);
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // A context of tests is like a private window.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
    [],
  );
  const manifest = await (await fetch(`${inject('url')}/manifest.webmanifest`)).json();
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate(async (address) => {
      const picture = await createImageBitmap(await (await fetch(address)).blob());
      return `${picture.width}x${picture.height}`;
    }, src);
    expect(size).toBe(sizes);
  }
  expect(wrongs).toEqual([]);
  await context.close();
});

it('without a network there are the ads that were seen, and a page that says so of the rest', async () => {
  const { page, context, wrongs } = await open(browser, APP);
  await controlled(page);
  await page.goto('/');
  await page.locator('.card a').first().click();
  await page.locator('.gallery img').first().waitFor();
  const ad = new URL(page.url()).pathname;
  const title = (await page.locator('h1').textContent()) ?? '';
  await expect
    .poll(async () => (await keptOf(page)).filter(({ url }) => url.startsWith('/images/')).length)
    .toBeGreaterThan(2);
  await context.setOffline(true);
  await page.goto('/');
  await page.locator('.card a').first().waitFor();
  await page.getByText('You are offline').first().waitFor();
  await page.waitForFunction(
    () => (document.querySelector<HTMLImageElement>('.card img')?.naturalWidth ?? 0) > 0,
  );
  await page.goto(ad);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.goto('/docs/interface');
  await page.getByRole('heading', { name: 'There is no connection' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await context.setOffline(false);
  await page.getByRole('link', { name: /^Home/ }).click();
  await page.locator('.card img').first().waitFor();
  expect(wrongs.filter((one) => !/Failed to (fetch|load)|ERR_INTERNET/.test(one))).toEqual([]);
  await context.close();
});

it('nothing of an account is kept, and the next person does not see what was looked at', async () => {
  const { page, context } = await open(browser, APP);
  await controlled(page);
  await logIn(page, inject('admin'));
  for (const path of ['/', '/my', '/messages', '/my/saved', '/account', '/review', '/search']) {
    await page.goto(path);
    await page.locator('h1').first().waitFor();
  }
  const all = await keptOf(page);
  expect(all.filter(({ authorization }) => authorization)).toEqual([]);
  const known = /^\/($|account$|assets\/|offline\.html$|images\/|site$|categories|ads($|\/))/;
  expect(all.map(({ url }) => url).filter((url) => !known.test(url))).toEqual([]);
  expect(all.filter(({ text }) => text.includes(inject('admin')))).toEqual([]);
  // What comes after the logout may be kept anew.
  await page.evaluate(async () =>
    (await caches.open('seen')).put('/ads/424242', new Response('seen before')),
  );
  await logOut(page);
  await expect
    .poll(() => page.evaluate(async () => (await caches.match('/ads/424242')) === undefined))
    .toBe(true);
  await context.close();
});

/** A way to the service that can be closed while the network is there. */
async function gate(): Promise<{ url: string; close: () => void; reopen: () => Promise<void> }> {
  const { hostname, port } = new URL(inject('url'));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const service = connect({ host: hostname, port: Number(port) });
    sockets.add(socket);
    for (const [one, other] of [
      [socket, service],
      [service, socket],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
    socket.pipe(service).pipe(socket);
  });
  const listen = (at: number) => once(server.listen(at, 'localhost'), 'listening');
  await listen(0);
  const at = (server.address() as AddressInfo).port;
  return {
    url: `http://localhost:${at}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    reopen: async () => void (await listen(at)),
  };
}

longTest('what the worker answers while the service is away is not shown as new', async () => {
  const { url, close, reopen } = await gate();
  const { page, context } = await open(browser, { ...APP, baseURL: url });
  await controlled(page);
  await page.goto('/');
  await page.locator('.card a').first().waitFor();
  await expect.poll(async () => (await keptOf(page)).some(({ url: one }) => one === '/ads')).toBe(true);
  const old = page.getByText('The site cannot be reached right now. You see it as of ');
  expect(await old.count()).toBe(0);
  close();
  await page.reload();
  await page.locator('.card a').first().waitFor();
  await old.waitFor();
  expect(await violations(page)).toEqual([]);
  await reopen();
  // Looked for without a press.
  await old.waitFor({ state: 'detached' });
  await context.close();
  close();
});

it('nothing of what was looked at is left of a session that ended while no page was open', async () => {
  const { page, context } = await open(browser, APP);
  await controlled(page);
  await logIn(page, inject('admin'));
  await page.goto('/');
  await page.locator('.card a').first().click();
  await page.locator('.gallery img').first().waitFor();
  await page.goto('/');
  await page.getByRole('heading', { name: 'Recently viewed' }).waitFor();
  await page.evaluate(async () => {
    await (await caches.open('seen')).put('/ads/424242', new Response('seen before'));
    sessionStorage.setItem('text anywhere', 'typed');
    const request = indexedDB.open('adsvc');
    await new Promise((resolve) => request.addEventListener('success', resolve));
    const deletion = request.result.transaction('sessions', 'readwrite').objectStore('sessions').clear();
    await new Promise((resolve) => deletion.addEventListener('success', resolve));
    request.result.close();
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await expect
    .poll(() =>
      page.evaluate(async () => [
        localStorage.getItem('viewed'),
        sessionStorage.getItem('text anywhere'),
        (await caches.match('/ads/424242')) === undefined,
      ]),
    )
    .toEqual([null, null, true]);
  expect(await page.getByRole('heading', { name: 'Recently viewed' }).count()).toBe(0);
  await context.close();
});

it('an app that was upgraded is loaded anew when its code is gone, but not over what is typed', async () => {
  const { page, context } = await open(browser);
  await logIn(page, inject('admin'));
  await page.goto('/');
  const ad = (await page.locator('.card a').first().getAttribute('href')) ?? '';
  let isOld = true;
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  const index = await (await fetch(`${inject('url')}/account`)).text();
  await page.goto(ad);
  await page.locator('.gallery img').first().waitFor();
  await page.getByRole('textbox', { name: 'Your comment' }).fill('Is it still there?');
  // As after an upgrade: what is loaded stays, the rest has other names.
  await page.route('**/assets/*.js', (route) => {
    const gone = isOld && !index.includes(new URL(route.request().url()).pathname);
    return gone ? route.fulfill({ status: 404 }) : route.continue();
  });
  await page.route('**/account', async (route) => {
    const html = await (await route.fetch()).text();
    await route.fulfill({ body: html.replaceAll(/(shared|index|main|boot)-[\w-]+\.js/g, 'other.js') });
  });
  loads = 0;
  await page.getByRole('button', { name: 'Show in full screen' }).first().click();
  await page.getByText('There is a new version of this site.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Your comment' }).inputValue()).toBe('Is it still there?');
  expect(loads).toBe(0);
  // The next page loses nothing.
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isOld = false;
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Saved' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Saved' }).waitFor();
  expect(loads).toBe(1);
  await context.close();
});
