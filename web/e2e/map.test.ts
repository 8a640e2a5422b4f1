/** Results on a map, and the map of one ad. */
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, few, launch, longTest, open, PHONE } from './support/browser';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const box = (page: Page): number[] =>
  (new URL(page.url()).searchParams.get('bbox') ?? '').split(',').map(Number);
const width = (page: Page): number => (box(page)[2] ?? 0) - (box(page)[0] ?? 0);

longTest('on a desktop a cell zooms in, keys move, the list follows and the way back undoes', async () => {
  const { page, context, wrongs } = await open(browser, DESKTOP);
  await page.goto('/search?priceType=fixed');
  await page.getByRole('link', { name: 'Map', exact: true }).click();
  await page.waitForURL(/bbox=/);
  expect(page.url()).toContain('priceType=fixed');
  const cell = page.getByRole('button', { name: /^\d+ ads here$/ });
  await cell.first().waitFor();
  await page.locator('.map-list .card img').first().waitFor();
  expect(await violations(page)).toEqual([]);
  const before = page.url();
  const wide = width(page);
  await cell.first().click();
  await expect.poll(() => width(page)).toBeLessThan(wide / 2);
  await page.goBack();
  await expect.poll(() => page.url()).toBe(before);
  await page.getByRole('region', { name: 'Map of the results' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.url()).not.toBe(before);
  const east = box(page)[2] ?? 0;
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await expect.poll(() => box(page)[2] ?? 0).toBeGreaterThan(east);
  await page.getByRole('link', { name: 'List', exact: true }).click();
  await page.waitForURL(/\/search\?priceType=fixed$/);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('on a phone the list is below the map', async () => {
  const { page, context, wrongs } = await open(browser, { ...PHONE, colorScheme: 'dark' });
  await page.goto('/c/cars');
  await page.getByRole('link', { name: 'Map', exact: true }).tap();
  await page.getByRole('region', { name: 'Map of the results' }).waitFor();
  await page.waitForURL(/\/c\/cars\?bbox=/);
  await page.locator('.map-cell').first().waitFor();
  await page.locator('.map-list .card').first().waitFor();
  // What is pressed is on the map, where a thumb reaches it.
  await page.locator('.map-cell.one').first().dispatchEvent('click');
  await page.locator('.map-card .card-title').waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect(wrongs).toEqual([]);
  await context.close();
});

it.each(
  few([
    ['en-GB', 'Map', 'List', 'This device cannot show the map.'],
    ['de-DE', 'Karte', 'Liste', 'Dieses Gerät kann die Karte nicht anzeigen.'],
    ['ru-RU', 'Карта', 'Список', 'Это устройство не может показать карту.'],
  ]),
)('in %s without WebGL there is the list and a sentence', async (locale, map, list, sentence) => {
  const { page, context, wrongs } = await open(browser, { ...PHONE, locale });
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto('/search');
  await page.getByRole('link', { name: map, exact: true }).tap();
  await page.getByText(sentence).waitFor();
  await page.locator('.map-list .card').first().waitFor();
  expect(requests.filter((address) => /\/draw-|maplibre/.test(address))).toEqual([]);
  await page.getByRole('link', { name: list, exact: true }).tap();
  await page.waitForURL(/\/search$/);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('an ad has its map once it is scrolled to', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  await page.goto('/search?near=52.52,13.405&radius=500000');
  await page.locator('.card-title').first().click();
  await page.locator('.ad-side .place').waitFor();
  const where = page.getByRole('region', { name: 'Where it is' });
  await where.getByRole('button', { name: 'Show the map' }).waitFor();
  expect(await page.locator('.map').count()).toBe(0);
  await where.scrollIntoViewIfNeeded();
  await where.locator('canvas').waitFor();
  // As wide as its place.
  await expect.poll(async () => (await where.locator('canvas').boundingBox())?.width).toBeGreaterThan(340);
  await page.getByText('within this circle of a kilometre').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(wrongs).toEqual([]);
  await context.close();
});

/** A file in the format PMTiles 3 with one tile of vectors: land everywhere. */
function landFile(): Buffer {
  const tile = Buffer.from(
    '1a200a0565617274681212180322' + '0e0900001a8040000080' + '40ff3f000f2880207802',
    'hex',
  );
  const directory = Buffer.from([1, 0, 1, tile.length, 1]);
  const header = Buffer.alloc(127);
  header.write('PMTiles\u0003');
  const parts = [127, directory.length, 132, 2, 134, 0, 134, tile.length, 1, 1, 1];
  for (const [index, value] of parts.entries()) header.writeBigUInt64LE(BigInt(value), 8 + 8 * index);
  // Clustered, nothing compressed, vectors.
  header.set([1, 1, 1, 1], 96);
  header.writeInt32LE(-1_800_000_000, 102);
  header.writeInt32LE(-850_000_000, 106);
  header.writeInt32LE(1_800_000_000, 110);
  header.writeInt32LE(850_000_000, 114);
  return Buffer.concat([header, directory, Buffer.from('{}'), tile]);
}

it("the operator's tiles are drawn, and no other host is requested", async () => {
  const { page, context, wrongs } = await open(browser, DESKTOP);
  const address = 'https://tiles.example.com/town.pmtiles';
  const file = landFile();
  await page.route(address, (route) => {
    const [, from = 0, to = 0] = /bytes=(\d+)-(\d+)/.exec(route.request().headers().range ?? '') ?? [];
    return route.fulfill({
      status: 206,
      body: file.subarray(Number(from), Number(to) + 1),
      headers: { 'access-control-allow-origin': '*', etag: '"1"' },
    });
  });
  // As the service writes its pages with ADSVC_MAP_TILES and ADSVC_MAP_ATTRIBUTION.
  const map = { tiles: address, attribution: 'Map by [its makers](https://example.com/copyright)' };
  await page.route(/\/search/, async (route: Route) => {
    const response = await route.fetch();
    const policy = response.headers()['content-security-policy'] ?? '';
    await route.fulfill({
      response,
      headers: {
        ...response.headers(),
        'content-security-policy': policy.replace("connect-src 'self'", '$& https://tiles.example.com'),
      },
      body: (await response.text()).replace('id="site">{', `$&"map":${JSON.stringify(map)},`),
    });
  });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto('/search?view=map');
  await page.locator('.map-cell').first().waitFor();
  await expect.poll(() => requests.filter((one) => one === address).length).toBeGreaterThan(1);
  expect(await page.getByRole('link', { name: 'its makers' }).getAttribute('href')).toBe(
    'https://example.com/copyright',
  );
  expect(requests.filter((one) => one.includes('countries'))).toEqual([]);
  expect(wrongs.filter((one) => one !== `request: ${address}`)).toEqual([]);
  await context.close();
});
