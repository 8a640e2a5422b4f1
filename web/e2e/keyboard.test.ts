/** Buying and selling by a keyboard alone: no pointer, and no focus that is lost or hidden. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DESKTOP, few, launch, longTest, open } from './support/browser';
import { account } from './support/messages';
import { loggedIn } from './support/people';
import { file, png } from './support/pictures';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

// At 200 % filters are in a sheet, and the bars of a phone may hide what has the focus.
const WIDTHS = few([
  ['desktop', DESKTOP],
  ['desktop at 200 %', { viewport: { width: 640, height: 450 } }],
]);
const FARTHEST = 120;

type Role = Parameters<Page['getByRole']>[0];

/** Whether a person sees what has the focus, once it is scrolled to: in the window, and not below something else. */
async function isSeen(page: Page): Promise<boolean> {
  const there = page.waitForFunction(
    () => {
      const focused = document.activeElement;
      if (!focused || focused === document.body) return false;
      const { left, top, right, bottom } = focused.getBoundingClientRect();
      const points = [0.1, 0.5, 0.9].flatMap((x) =>
        [0.1, 0.5, 0.9].map((y) =>
          document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y),
        ),
      );
      return points.some((one) => one && focused.contains(one));
    },
    undefined,
    { timeout: 15_000 },
  );
  return there.then(
    () => true,
    () => false,
  );
}

/** Tab until that control has the focus; each on the way must be seen. */
async function tabTo(page: Page, role: Role, name: string | RegExp, key = 'Tab'): Promise<void> {
  const wanted = page.getByRole(role, { name, ...(typeof name === 'string' ? { exact: true } : {}) });
  await wanted.first().waitFor({ state: 'attached' });
  for (let presses = 0; presses < FARTHEST; presses += 1) {
    await page.keyboard.press(key);
    const focused = page.locator(':focus');
    // Focus leaves the document once on the way around.
    if ((await focused.count()) === 0) continue;
    if (!(await isSeen(page)))
      throw new Error(`hidden: ${await focused.evaluate((one) => one.outerHTML.slice(0, 200))}`);
    if ((await wanted.and(focused).count()) > 0) return;
  }
  throw new Error(`no way by ${key} to ${role} ${name}`);
}

/** Tab to a control and press it. */
async function press(page: Page, role: Role, name: string | RegExp): Promise<void> {
  await tabTo(page, role, name);
  await page.keyboard.press('Enter');
}

async function type(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, 'textbox', name);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** From the first field of the page for it. */
async function logIn(page: Page, name: string): Promise<void> {
  await type(page, 'User name', name);
  await page.keyboard.press('Tab');
  await page.keyboard.type(inject('password'));
  await page.keyboard.press('Enter');
  await loggedIn(page);
}

/** What has the focus is not the whole document. */
const keepsFocus = (page: Page): Promise<void> =>
  expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true);

describe.each(WIDTHS)('on a %s', (_, options) => {
  it('a keyboard alone searches, filters, looks, writes and makes an offer', async () => {
    const seller = await account('Paula', '+49 30 1234567');
    const buyer = await account('Boris');
    // Each try has its own ads: counts of a second one would differ.
    const title = `Walnut davenport ${seller.name.match(/\d+/g)?.join(' ')}`;
    const pictures = [1, 2].map((seed) => new Blob([new Uint8Array(png(640, 480, seed))]));
    const about = { description: 'Two drawers.', category: 'furniture', place: 'Berlin' };
    await seller.client.createAd({ ...about, title, price: 1800 }, pictures);
    await seller.client.createAd({ ...about, title: `${title} leg`, price: 5 }, pictures);
    const { page, context, wrongs } = await open(browser, options);
    await page.goto('/');
    await page.locator('.cards a').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');

    await tabTo(page, 'combobox', 'Search ads');
    await page.keyboard.type(`"${title}"`);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=*');
    await page.locator('.card').nth(1).waitFor();
    if (options === DESKTOP) {
      await tabTo(page, 'textbox', 'From');
    } else {
      await press(page, 'button', 'Filters');
      await page.getByRole('dialog', { name: 'Filters' }).waitFor();
      await tabTo(page, 'textbox', 'From');
    }
    await page.keyboard.type('1000');
    await page.waitForURL(/minPrice=1000/);
    await keepsFocus(page);
    if (options !== DESKTOP) {
      await press(page, 'button', 'Show 1 ad');
      await page.getByRole('dialog', { name: 'Filters' }).waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Filters');
    }
    await page.locator('.card').nth(1).waitFor({ state: 'detached' });

    await press(page, 'link', title);
    await page.waitForURL(/\/a\/\d+[^/]*$/);
    await page.locator('.stage img').first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    await press(page, 'button', /^Show in full screen/);
    await page.locator('.full-screen img').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('.full-screen').getByText('2 of 2').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.full-screen').waitFor({ state: 'detached' });
    await keepsFocus(page);

    await press(page, 'button', 'Write to the seller');
    await page.getByLabel('Your message').waitFor();
    await type(page, 'Your message', 'Is it heavy?');
    await press(page, 'button', 'Log in and send');
    await page.waitForURL('**/account/login*');
    await logIn(page, buyer.name);
    await page.getByLabel('Your message').waitFor();
    // What was written is still there.
    await press(page, 'button', 'Send');
    await press(page, 'link', 'To the conversation');
    await page.waitForURL(/\/messages\/\d+$/);
    await press(page, 'button', 'Make an offer');
    await page.getByLabel('Your price').waitFor();
    await keepsFocus(page);
    await page.keyboard.type('1500');
    await page.keyboard.press('Enter');
    await page.locator('.offer').getByText('€1,500').waitFor();
    await tabTo(page, 'button', 'Withdraw', 'Shift+Tab');
    expect(wrongs).toEqual([]);
    await context.close();
  });

  longTest('a keyboard alone posts, edits, reserves and sells', async () => {
    const seller = await account('Paula');
    const { page, context, wrongs } = await open(browser, options);
    page.on('filechooser', (chooser) =>
      chooser.setFiles([file('one.png', png(640, 480, 1)), file('two.png', png(640, 480, 2))]),
    );
    await page.goto('/account/login?next=%2F');
    await page.locator('form .primary').waitFor();
    await logIn(page, seller.name);
    await page.waitForURL((url) => url.pathname === '/');
    if (options === DESKTOP) await press(page, 'button', 'Post an ad');
    else await press(page, 'link', 'Sell');
    await page.getByLabel('Pictures').waitFor();

    await press(page, 'button', 'Pictures');
    await page.getByRole('img', { name: 'Picture 2' }).waitFor();
    await keepsFocus(page);
    const urls = (): Promise<(string | null)[]> =>
      page.locator('.picture-list img').evaluateAll((all) => all.map((one) => one.getAttribute('src')));
    const [one, two] = await urls();
    await press(page, 'button', 'Edit picture 2');
    await press(page, 'button', 'Make first');
    await expect.poll(urls).toEqual([two, one]);
    await keepsFocus(page);
    await press(page, 'button', 'Edit picture 1');
    await press(page, 'button', 'Turn or crop');
    await page.getByRole('slider').first().waitFor();
    await press(page, 'button', 'Turn right');
    await press(page, 'button', 'Use this picture');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keepsFocus(page);
    await tabTo(page, 'combobox', 'Category');
    await page.keyboard.type('Furniture');
    await type(page, 'Title', 'Wing chair');
    await type(page, 'Price', '180');
    await type(page, 'Description', 'Newly covered.');
    await press(page, 'button', 'Publish');
    await page.waitForURL(/\/a\/\d+[^/]*$/);
    await page.getByRole('heading', { level: 1, name: 'Wing chair' }).waitFor();

    await press(page, 'link', 'Edit');
    await page.getByLabel('Price', { exact: true }).waitFor();
    await type(page, 'Price', '150');
    await page.keyboard.press('Enter');
    await page.getByText('€150').first().waitFor();
    await press(page, 'button', 'Reserve');
    await page.locator('.standing').getByText('Reserved').waitFor();
    await keepsFocus(page);
    await press(page, 'button', 'Mark as sold');
    await page.getByRole('group', { name: 'Mark it as sold?' }).waitFor();
    await keepsFocus(page);
    await press(page, 'button', 'Mark as sold');
    await page.locator('.standing').getByText('Sold').waitFor();
    await keepsFocus(page);
    expect(wrongs).toEqual([]);
    await context.close();
  });
});
