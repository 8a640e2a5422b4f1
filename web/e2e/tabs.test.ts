/** Several tabs of one browser have one session, in IndexedDB. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, open } from './support/browser';
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
