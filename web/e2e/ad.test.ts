/** What a buyer does on the page of an ad: pictures in full screen, sharing, the seller, similar ads. */
import { AdsvcClient } from 'adsvc-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, few, launch, open, PHONE, SIZES } from './support/browser';
import { account, enter, post } from './support/messages';
import { newName } from './support/people';
import { png } from './support/pictures';

let browser: Browser;
let ad: number;
let seller: number;

/** An ad with three pictures whose price fell, and another one like it. */
beforeAll(async () => {
  browser = await launch();
  const client = new AdsvcClient({ baseUrl: inject('url') });
  const account = { username: newName('shop'), password: inject('password') };
  await client.register({ ...account, firstName: 'Paula', lastName: 'Berg', phone: '+49 30 1234567' });
  await client.login(account);
  const pictures = [1, 2, 3].map(
    (seed) => new Blob([new Uint8Array(png(640, 480, seed))], { type: 'image/png' }),
  );
  const about = { title: 'Walnut writing desk', description: 'Two drawers.', place: 'Berlin' };
  const made = await client.createAd({ ...about, price: 1800, category: 'furniture' }, pictures);
  await client.createAd({ ...about, price: 1700, category: 'furniture' }, pictures.slice(0, 1));
  await client.updateAd(made.pk, { ...about, price: 1500, category: 'furniture' });
  ad = made.pk;
  seller = made.author;
});
afterAll(() => browser.close());

const position = (page: Page): Promise<string | null> =>
  page.locator('.full-screen p').textContent({ timeout: 5000 });

it.each(
  few([
    ['en-GB', 'was €1,800', 'Similar ads'],
    ['de-DE', 'vorher 1.800', 'Ähnliche Anzeigen'],
    ['ru-RU', 'было 1', 'Похожие объявления'],
  ]),
)('on a phone in %s it says what it cost, and what is like it', async (locale, before, similar) => {
  const { page, context, wrongs } = await open(browser, { ...PHONE, locale });
  await page.goto(`/a/${ad}`);
  await page.locator('.price.large', { hasText: before }).waitFor();
  await page.getByRole('heading', { name: similar }).waitFor();
  expect(await page.locator('.card-title').allTextContents()).toContain('Walnut writing desk');
  expect(await violations(page)).toEqual([]);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('by keyboard pictures are seen in full screen, and the focus comes back', async () => {
  const { page, context, wrongs } = await open(browser, DESKTOP);
  await page.goto(`/a/${ad}`);
  const picture = page.getByRole('button', { name: /^Show in full screen: Walnut writing desk, picture 1/ });
  await picture.press('Enter');
  await page.locator('.full-screen img').waitFor();
  expect(await position(page)).toBe('1 of 3');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => position(page)).toBe('2 of 3');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => position(page)).toBe('1 of 3');
  await page.keyboard.press('+');
  expect(await page.locator('.full-screen img').getAttribute('style')).toMatch(/scale\(1\.5\)/);
  // What is enlarged is moved by the arrows, and no further than to its edge.
  const moved = async (): Promise<number> =>
    Number(
      /translate\((-?[\d.]+)px/.exec(
        (await page.locator('.full-screen img').getAttribute('style')) ?? '',
      )?.[1],
    );
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowRight');
  expect(await position(page)).toBe('1 of 3');
  expect(await moved()).toBe(-260);
  await page.keyboard.press('-');
  expect(await moved()).toBe(0);
  await page.keyboard.press('+');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.locator('.full-screen').waitFor({ state: 'detached' });
  expect(await picture.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('by fingers pictures are swiped, pinched, tapped twice and swiped away', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  const protocol = await context.newCDPSession(page);
  const touch = async (type: string, ...points: [number, number][]): Promise<void> => {
    const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
    await protocol.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart' | 'touchMove' | 'touchEnd',
      touchPoints,
    });
  };
  const swipe = async (from: [number, number], to: [number, number]): Promise<void> => {
    await touch('touchStart', from);
    await touch('touchMove', [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
    await touch('touchMove', to);
    await touch('touchEnd');
  };
  const scale = async (): Promise<number> => {
    const style = (await page.locator('.full-screen img').getAttribute('style')) ?? '';
    return Number(/scale\(([\d.]+)\)/.exec(style)?.[1]);
  };
  await page.goto(`/a/${ad}`);
  await page.getByRole('button', { name: /^Show in full screen: .* picture 1/ }).tap();
  await page.locator('.full-screen img').waitFor();
  await expect.poll(scale).toBe(1);
  await swipe([300, 400], [80, 410]);
  await expect.poll(() => position(page)).toBe('2 of 3');
  await touch('touchStart', [150, 400], [250, 400]);
  await touch('touchMove', [100, 400], [300, 400]);
  await touch('touchEnd');
  await expect.poll(scale).toBe(2);
  // What is enlarged is moved, and not swiped; its edge does not leave the screen.
  await swipe([380, 400], [10, 410]);
  await swipe([380, 400], [10, 410]);
  expect(await position(page)).toBe('2 of 3');
  expect(await page.locator('.full-screen img').getAttribute('style')).toMatch(/translate\(-195px, 0px\)/);
  await page.locator('.full-screen img').dblclick();
  await expect.poll(scale).toBe(1);
  // A tap that trembles leaves the picture where it was.
  await swipe([200, 400], [206, 404]);
  expect(await page.locator('.full-screen img').getAttribute('style')).toMatch(/translate\(0px, 0px\)/);
  await swipe([200, 300], [210, 600]);
  await page.locator('.full-screen').waitFor({ state: 'detached' });
  expect(wrongs).toEqual([]);
  await context.close();
});

it('on a phone price, message and call stay in reach', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  await page.goto(`/a/${ad}`);
  const bar = page.getByRole('complementary', { name: 'Contact' });
  await bar.getByText('€1,500').waitFor();
  const box = await bar.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
  await bar.getByRole('button', { name: 'Write', exact: true }).tap();
  const sheet = page.getByRole('dialog', { name: 'Write to the seller' });
  await sheet.getByLabel('Your message').fill('Is it still there?');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await bar.getByRole('button', { name: 'Call', exact: true }).tap();
  await page.waitForURL(/\/account\/login\?next=/);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('the address is shared, or copied where the device has no menu for it', async () => {
  const { page, context, wrongs } = await open(browser, {
    ...DESKTOP,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.goto(`/a/${ad}`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByText('The address was copied.').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`/a/${ad}`);
  await page.evaluate(() => {
    const share = async ({ url = '' }: ShareData): Promise<void> => {
      document.title = url;
    };
    Object.assign(navigator, { share });
  });
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect.poll(() => page.title()).toContain(`/a/${ad}`);
  expect(wrongs).toEqual([]);
  await context.close();
});

it.each(SIZES)('a seller has a page with their ads on a %s', async (_size, size) => {
  const { page, context, wrongs } = await open(browser, size);
  await page.goto(`/a/${ad}`);
  await page.locator('.seller').getByText('Member since').waitFor();
  await page.locator('.seller').getByRole('link', { name: '2 ads' }).click();
  await page.waitForURL(`**/seller/${seller}`);
  await page.getByRole('heading', { level: 1, name: 'Ads of Paula' }).waitFor();
  await expect.poll(() => page.locator('.card').count()).toBe(2);
  expect(await violations(page)).toEqual([]);
  await page.goto('/seller/999999');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

it.each(
  few([
    ['en-GB', PHONE, 'Recently viewed', 'Clear'],
    ['de-DE', DESKTOP, 'Zuletzt angesehen', 'Leeren'],
    ['ru-RU', PHONE, 'Вы смотрели', 'Очистить'],
  ]),
)('in %s what was looked at is on the home page until it is cleared', async (locale, size, title, clear) => {
  const { page, context, wrongs } = await open(browser, { ...size, locale });
  await page.goto(`/a/${ad}`);
  await page.waitForFunction(() => localStorage.getItem('viewed') !== null);
  await page.goto('/');
  const row = page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) });
  await row.getByRole('link', { name: 'Walnut writing desk' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await row.getByRole('button', { name: clear, exact: true }).click();
  await row.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => localStorage.getItem('viewed'))).toBeNull();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('an ad that is gone is no longer among those that were looked at', async () => {
  const { page, context, wrongs } = await open(browser, PHONE);
  await page.goto(`/a/${ad}`);
  await page.waitForFunction(() => localStorage.getItem('viewed') !== null);
  await page.evaluate(() => {
    const [one] = JSON.parse(localStorage.getItem('viewed') ?? '[]');
    localStorage.setItem('viewed', JSON.stringify([{ ...one, pk: 999_999 }, 'nonsense', null, one]));
  });
  await page.goto('/a/999999');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('viewed') ?? '[]'));
  expect(kept.map(({ pk }: { pk: number }) => pk)).toEqual([ad]);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('of an ad that its author withdraws nothing is asked for that others no longer see', async () => {
  const person = await account('Paula');
  const own = await post(person.client, 30);
  await post((await account('Olga')).client, 31);
  const { page, context, wrongs } = await open(browser);
  await enter(page, person.name);
  await page.goto(`/a/${own.id}`);
  await page.getByRole('heading', { name: 'Similar ads' }).waitFor();
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('The ad is withdrawn.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Similar ads' }).waitFor();
  expect(refused).toEqual([]);
  // A deletion waits, but no longer than the page is there.
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/my$/);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.my-ads summary').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.locator('.my-ads article').waitFor({ state: 'detached' });
  expect((await fetch(`${inject('url')}/ads/${own.id}/details`)).status).toBe(200);
  await page.goto('/');
  await expect.poll(async () => (await fetch(`${inject('url')}/ads/${own.id}/details`)).status).toBe(404);
  expect(wrongs).toEqual([]);
  await context.close();
});
