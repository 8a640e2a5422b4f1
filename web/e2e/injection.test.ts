/** What people write is text, wherever it is shown: nothing of it runs, and the policy has nothing to report. */

import { AdsvcClient } from 'adsvc-client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, open } from './support/browser';
import { logIn, newName } from './support/people';
import { png } from './support/pictures';

const CORPUS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">click</a>',
  '</title><script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
  '<style>*{background:url(//example.com)}</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<!--<img src="--><img src=x onerror=alert(1)//">',
  '&lt;img src=x onerror=alert(1)&gt;',
  'javascript:alert(1)//',
  '<base href="//example.com/">',
  '<meta http-equiv="refresh" content="0;url=//example.com">',
] as const;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

it('nothing that people write runs', async () => {
  const client = new AdsvcClient({ baseUrl: inject('url') });
  const password = inject('password');
  await client.login({ username: inject('admin'), password });
  await client.putCategory('injected', {
    name: '<img src=x onerror=alert(1)>',
    names: { de: '<b onmouseover=alert(1)>' },
    attributes: CORPUS.slice(0, 10).map((label, index) => ({
      name: `a${index}`,
      label: label.slice(0, 100),
      type: 'enum' as const,
      filterable: true,
      facetable: true,
      options: [{ value: 'x', label: label.slice(0, 100) }],
    })),
  });
  const seller = new AdsvcClient({ baseUrl: inject('url') });
  const username = newName('writer');
  await seller.register({
    username,
    password,
    firstName: '<img src=x onerror=alert(1)>',
    lastName: '</title><script>alert(1)</script>',
  });
  await seller.login({ username, password });
  const picture = new Blob([new Uint8Array(png(320, 240, 7))], { type: 'image/png' });
  const attributes = Object.fromEntries(CORPUS.slice(0, 10).map((_, index) => [`a${index}`, 'x']));
  const ids: number[] = [];
  for (const text of CORPUS) {
    const ad = await seller.createAd(
      {
        title: text,
        price: 5,
        description: `${text}\n${text}`,
        place: text,
        category: 'injected',
        attributes,
      },
      [picture],
    );
    ids.push(ad.pk);
    await seller.createComment(ad.pk, { text });
  }

  const { page, context, wrongs } = await open(browser);
  const see = async (path: string, there: string): Promise<void> => {
    await page.goto(path);
    await page.locator(there).first().waitFor({ state: 'attached' });
  };
  await logIn(page, inject('admin'));
  await see('/', '.cards img');
  await see('/c/injected', '.filters .check');
  await see(
    `/search?q=${encodeURIComponent(CORPUS[1])}&place=${encodeURIComponent(CORPUS[2])}&near=1,1`,
    '.chips',
  );
  await see(`/search?attr=${encodeURIComponent(`a0:${CORPUS[1]}`)}`, '.chips');
  await see('/search?author=javascript:alert(1)', '.cards img');
  for (const id of ids) {
    await see(`/a/${id}`, '.comments li');
    expect(await page.locator('h1').textContent()).toBe(CORPUS[ids.indexOf(id)]);
    expect(await page.title()).toContain(CORPUS[ids.indexOf(id)]);
  }
  await see(`/a/${ids[1]}/edit`, '.attributes-form');
  await see('/console/categories', '.list li[data-slug]');
  await see('/console/ads', '.console-ad');
  await page.getByLabel('Language').selectOption('de');
  await see('/c/injected', '.filters .check');
  for (const next of ['javascript:alert(1)', '//example.com/', 'https://example.com/', '\\\\example.com']) {
    await see(`/account/login?next=${encodeURIComponent(next)}`, 'form');
  }
  expect(wrongs).toEqual([]);

  // What watches would have told it.
  await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
  await expect.poll(() => wrongs.join()).toContain('policy: style-src');
  await context.close();
});
