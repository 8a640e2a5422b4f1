/** Web vitals on the demonstration data, as a phone of the middle class has them on a slow line. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, open, PHONE } from '../support/browser';

const LIMITS = { LCP: 1800, CLS: 0.02, INP: 120 } as const;
type Vital = keyof typeof LIMITS;
type Figures = Partial<Record<Vital, number>>;

/** Lighthouse's slow 4G: 1.6 Mbit/s, 150 ms there and back; and a processor a quarter as fast. */
const LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};

let browser: Browser;
let source: string;
beforeAll(async () => {
  browser = await launch();
  const main = createRequire(import.meta.url).resolve('web-vitals');
  source = await readFile(join(main, '../web-vitals.iife.js'), 'utf8');
});
afterAll(() => browser.close());

async function someAd(): Promise<string> {
  const answer = await fetch(`${inject('url')}/ads?limit=50`);
  const { results } = (await answer.json()) as { results: { pk: number; imageCount: number }[] };
  return `/a/${results.find((ad) => ad.imageCount > 1)?.pk}`;
}

const PAGES: [string, string, (page: Page) => Promise<void>][] = [
  [
    'home',
    '/',
    async (page) => {
      await page.locator('.cards img').first().waitFor();
      await page.getByRole('combobox', { name: 'Search ads' }).pressSequentially('table', { delay: 60 });
    },
  ],
  [
    'results',
    '/c/vehicles',
    async (page) => {
      await page.locator('.cards img').first().waitFor();
      await page.getByRole('button', { name: /^Filters/ }).click();
      await page.locator('.filters .check input').first().click();
      await page.getByRole('button', { name: /^Show \d/ }).click();
      await page.locator('.chips').waitFor();
    },
  ],
  [
    'ad',
    '',
    async (page) => {
      await page.locator('.stage img').first().waitFor();
      await page.getByRole('button', { name: 'Next picture' }).click();
    },
  ],
];

it.each(PAGES)('%s', async (name, path, use) => {
  const { page, context } = await open(browser, PHONE);
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Network.emulateNetworkConditions', LINE);
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: Number(process.env.VITALS_CPU ?? 4) });
  await context.addInitScript(`${source};
    window.figures = {};
    for (const name of ['LCP', 'CLS', 'INP']) {
      webVitals['on' + name]((metric) => { window.figures[name] = metric.value; }, { reportAllChanges: true });
    }`);
  await page.goto(path || (await someAd()));
  await page.waitForLoadState('networkidle');
  await use(page);
  await page.waitForLoadState('networkidle');
  const figures = (await page.evaluate('window.figures')) as Figures;
  const { LCP = 0, CLS = 0, INP = 0 } = figures;
  console.log(`${name}: LCP ${Math.round(LCP)} ms, CLS ${CLS.toFixed(3)}, INP ${INP} ms`);
  // Without a figure there was nothing to judge: no shift and no slow press are none, but every page paints.
  expect(LCP, `${name} has a largest contentful paint`).toBeGreaterThan(0);
  for (const [vital, most] of Object.entries(LIMITS)) {
    expect(figures[vital as Vital] ?? 0, `${name} ${vital}`).toBeLessThanOrEqual(most);
  }
  await context.close();
});
