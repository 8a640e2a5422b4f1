/** Several tabs of one browser have one session, in IndexedDB. */
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, open } from './support/browser';
import { account, enter, post } from './support/messages';
import { loggedIn, newName, register } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Every tab renews its access token before the next use. */
const age = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const done = <Result>(request: IDBRequest<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open('adsvc'));
    const sessions = database.transaction('sessions', 'readwrite').objectStore('sessions');
    const tokens = await done(sessions.get(location.origin));
    await done(sessions.put({ ...tokens, renewAt: 0 }, location.origin));
    database.close();
  });

for (const locks of ['with', 'without']) {
  it(`three tabs refresh at once ${locks} locks, and none is logged out`, async () => {
    const { page, context, wrongs } = await open(browser);
    // As where the address is not secure: all tabs send the same refresh token.
    if (locks === 'without') {
      await context.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }),
      );
    }
    await register(page, newName('tabs'));
    const tabs = [page, await context.newPage(), await context.newPage()];
    const answers: number[] = [];
    context.on('response', (response) => {
      if (new URL(response.url()).pathname === '/token') answers.push(response.status());
    });
    const rounds = 4;
    for (let round = 0; round < rounds; round += 1) {
      await age(page);
      await Promise.all(tabs.map((tab) => tab.goto('/my')));
      await Promise.all(tabs.map(loggedIn));
    }
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(answers.length).toBeGreaterThanOrEqual(rounds);
    // The token that was stored last is a good one.
    await age(page);
    await page.goto('/account/security');
    await loggedIn(page);
    expect(wrongs).toEqual([]);
    await context.close();
  });
}

it('three tabs read one stream, which another takes over when its tab is closed', async () => {
  const seller = await account('Paula');
  const { context, page, wrongs } = await open(browser);
  const streams = new Set<Request>();
  context.on('request', (request) => {
    if (request.url().includes('/users/me/stream')) streams.add(request);
  });
  context.on('requestfinished', (request) => streams.delete(request));
  context.on('requestfailed', (request) => streams.delete(request));
  const reading = () => [...streams].filter((request) => !request.frame().page().isClosed());
  await enter(page, seller.name);
  const others = [await context.newPage(), await context.newPage()];
  for (const other of others) await other.goto('/');
  await Promise.all(others.map(loggedIn));

  const buyer = await account('Boris');
  const write = async () =>
    buyer.client.writeAboutAd((await post(seller.client, 90)).id, { text: 'Is it still there?' });
  const unread = (tab: Page, count: number) =>
    tab.getByRole('link', { name: `Messages, ${count} unread` }).waitFor();
  await write();
  await Promise.all([page, ...others].map((tab) => unread(tab, 1)));
  expect(reading()).toHaveLength(1);
  await page.close();
  await write();
  await Promise.all(others.map((tab) => unread(tab, 2)));
  expect(reading()).toHaveLength(1);
  expect(wrongs).toEqual([]);
  await context.close();
});
