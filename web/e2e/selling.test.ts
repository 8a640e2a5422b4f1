/** What a seller does: writing an ad, its pictures, one's own ads; and what would be lost is asked, or undone. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { violations } from './support/axe';
import { launch, longTest, open, SIZES } from './support/browser';
import { endSessions, logIn, newName, register } from './support/people';
import { file, png } from './support/pictures';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');

const pictures = (page: Page): Promise<string[]> =>
  page.locator('.picture-list img').evaluateAll((all) => all.map((one) => (one as HTMLImageElement).src));

/** Until the service has all of it. */
async function saved(page: Page): Promise<void> {
  await page.getByText('The draft is saved').waitFor();
  await page.locator('.picture-standing').first().waitFor({ state: 'detached' });
}

describe.each(SIZES)('on a %s', (_size, options) => {
  longTest('an ad is begun on one device and published on another', async () => {
    const first = await open(browser, options);
    const second = await open(browser, options);
    const name = newName('mover');
    await register(first.page, name);
    await first.page.goto('/my');
    await first.page.getByRole('link', { name: 'Post your first ad' }).click();
    await first.page.getByLabel('Pictures').setInputFiles([file('one.png', png(640, 480, 3))]);
    await saved(first.page);
    await first.page.getByLabel('Title').fill('Bookshelf, two metres');
    await first.page.getByLabel('Price', { exact: true }).fill('1.500');
    await first.page.getByText('That is €1,500.').waitFor();
    await first.page.locator('.post-end summary').click();
    await first.page.getByRole('button', { name: 'Finish later' }).click();
    await first.page.getByText('The draft is saved.').waitFor();
    await first.page.getByRole('link', { name: 'Bookshelf, two metres' }).waitFor();

    const { page } = second;
    await logIn(page, name);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/ads')) asked.push(pathname);
    });
    await page.goto('/my');
    await page.getByRole('link', { name: 'Draft 1' }).click();
    const goOn = page.getByRole('link', { name: 'Continue', exact: true });
    await goOn.waitFor();
    // It was never public, so that there is nothing to withdraw.
    expect(await page.locator('.my-ads .menu-items > *').allTextContents()).toEqual(['Delete']);
    await goOn.click();
    await page.getByRole('img', { name: 'Picture 1' }).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Bookshelf, two metres');
    expect(await page.getByLabel('Price', { exact: true }).inputValue()).toBe('1500');
    await page.getByLabel('Description').fill('Oak, with six shelves.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/\/a\/\d+(-|$)/);
    await page.getByText('€1,500').first().waitFor();
    await page.goto('/account');
    await page.locator('#profile').waitFor();
    asked.length = 0;
    await page.goto('/my');
    await page.getByRole('link', { name: 'Active 1' }).waitFor();
    expect(asked).toEqual(['/ads/me']);
    expect(await page.locator('img[src=""]').count()).toBe(0);

    // The form on the first device is done with.
    await first.page.goto('/post');
    await first.page.getByLabel('Title').waitFor();
    expect(await first.page.getByLabel('Title').inputValue()).toBe('');
    expect([...first.wrongs, ...second.wrongs]).toEqual([]);
    await first.context.close();
    await second.context.close();
  });

  it('pictures are checked, sent, tried again, put in order and turned', async () => {
    const { page, context, wrongs } = await open(browser, options);
    await register(page, newName('painter'));
    await page.goto('/post');
    await page
      .getByLabel('Pictures')
      .setInputFiles([
        file('red.png', png(640, 480, 1)),
        { name: 'IMG_1.HEIC', mimeType: 'image/heic', buffer: HEIC },
        file('green.png', png(640, 480, 2)),
      ]);
    await page.getByText('“IMG_1.HEIC” is a HEIC photo').waitFor();
    await saved(page);
    const [red = '', green = ''] = await pictures(page);

    // With the pointer, by its grip.
    const grips = page.locator('.picture-list .grip');
    const from = await grips.nth(0).boundingBox();
    const to = await grips.nth(1).boundingBox();
    if (!from || !to) throw new Error('no grips');
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 10, to.y + 10, { steps: 4 });
    await page.mouse.up();
    expect(await pictures(page)).toEqual([green, red]);
    await page.getByRole('button', { name: 'Edit picture 2' }).click();
    await page.getByRole('button', { name: 'Make first' }).click();
    expect(await pictures(page)).toEqual([red, green]);

    // A refused picture says so at its tile, and can be tried again.
    await page.route('**/images', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 500, body: '' }) : route.continue(),
    );
    await page.getByLabel('Pictures').setInputFiles([file('blue.png', png(640, 480, 4))]);
    await page.locator('.picture-list .error').waitFor();
    await page.unroute('**/images');
    await page.getByRole('button', { name: 'Try again' }).click();
    await saved(page);

    await page.getByRole('button', { name: 'Edit picture 3' }).click();
    await page.getByRole('button', { name: 'Turn or crop' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Turn right' }).click();
    await page.getByRole('slider', { name: 'Top' }).fill('20');
    await page.getByRole('button', { name: 'Use this picture' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await saved(page);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    const third = page.getByRole('img', { name: 'Picture 3' });
    await third.waitFor();
    await page.waitForFunction(() => {
      const [, , last] = document.querySelectorAll<HTMLImageElement>('.picture-list img');
      return last?.complete && last.naturalHeight > last.naturalWidth;
    });
    expect(wrongs).toEqual([]);
    await context.close();
  });

  it('faults go when they are mended, and the button stays below the finger', async () => {
    const { page, context, wrongs } = await open(browser, options);
    await register(page, newName('careless'));
    await page.goto('/post');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/publish')) sent.push(request.url());
    });
    const publish = page.getByRole('button', { name: 'Publish' });
    await page.getByLabel('Title').fill('Desk');
    const before = await publish.boundingBox();
    await page.getByLabel('Place').fill('Hambur');
    await page.getByLabel('Place').press('Enter');
    await expect.poll(() => page.getByLabel('Place').inputValue()).toBe('Hamburg');
    await page.getByLabel('Title').press('Enter');
    expect(await page.getByRole('heading', { name: /missing or not right/ }).count()).toBe(0);
    await publish.click();
    await page.getByRole('heading', { name: '3 things are missing or not right yet' }).waitFor();
    expect(sent).toEqual([]);
    await page.getByLabel('Price', { exact: true }).fill('149,99');
    await page.getByText('Prices have no such fractions here. Write 149 or 150.').first().waitFor();
    await page.getByLabel('Price', { exact: true }).fill('150');
    await page.getByLabel('Description').fill('Solid beech, one owner.');
    await page.getByRole('heading', { name: 'One thing is missing or not right yet' }).waitFor();
    expect(await page.getByLabel('Price', { exact: true }).getAttribute('aria-invalid')).toBe(null);
    await page.getByLabel('Pictures').setInputFiles([file('one.png', png(320, 240, 3))]);
    await page.getByRole('heading', { name: /missing or not right/ }).waitFor({ state: 'detached' });
    const after = await publish.boundingBox();
    expect([after?.x, after?.y]).toEqual([before?.x, before?.y]);
    await publish.click();
    await page.waitForURL(/\/a\/\d+(-|$)/);
    expect(sent.length).toBe(1);
    expect(wrongs).toEqual([]);
    await context.close();
  });

  it('what would be lost is asked, or undone', async () => {
    const { page, context, wrongs } = await open(browser, options);
    const name = newName('hasty');
    await register(page, name);
    await page.goto('/post');
    await page.getByLabel('Title').fill('Lamp');
    await page.getByLabel('Price', { exact: true }).fill('20');
    await page.getByLabel('Description').fill('Brass, with a new cable.');
    await page.getByLabel('Pictures').setInputFiles([file('one.png', png(320, 240, 3))]);
    await saved(page);
    await page.locator('.post-end summary').click();
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByText('The draft is deleted.').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('img', { name: 'Picture 1' }).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Lamp');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/\/a\/\d+(-|$)/);

    // An edit that is left comes back.
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Title').fill('Lamp of brass');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('Your changes are not saved.').waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByLabel('Title').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Lamp of brass');
    // Nor does a reload lose it, or the end of the session: the page says so.
    await page.reload();
    await page.getByText('These are your changes from before.').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Lamp of brass');
    await page.getByLabel('Description').fill('Brass, polished.');
    await endSessions(name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('what you typed is kept').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await page.locator('main [autocomplete^="username"]').fill(name);
    await page.locator('main [autocomplete="current-password"]').fill(inject('password'));
    await page.locator('form .primary').click();
    await page.getByText('These are your changes from before.').waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Brass, polished.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Lamp of brass' }).waitFor();

    // Selling ends an ad for good.
    await page.goto('/my');
    const more = page.locator('.my-ads .menu summary');
    await more.click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mark as sold' }).click();
    const sure = page.getByRole('group', { name: 'Mark it as sold?' });
    await sure.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.my-ads').getByText('Active').waitFor();
    await more.click();
    await page.getByRole('button', { name: 'Mark as sold' }).click();
    await sure.getByRole('button', { name: 'Mark as sold' }).click();
    await page.locator('.my-ads').getByText('Sold').waitFor();
    expect(wrongs).toEqual([]);
    await context.close();
  });
});

it('an ad that is begun without an account is sent after registering', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('guest');
  const title = `Garden bench ${name}`;
  await page.goto('/post');
  await page.getByLabel('Pictures').setInputFiles([file('one.png', png(640, 480, 5))]);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Description').fill('Teak, for three.');
  await page.getByLabel('Price', { exact: true }).fill('45');
  await page.getByText('Kept in this browser.').waitFor();
  await page.getByRole('button', { name: 'Continue with an account' }).click();
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Register' }).click();
  await saved(page);
  expect(await page.getByLabel('Title').inputValue()).toBe(title);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { name: 'Your ad is online' }).waitFor();
  await page.getByRole('heading', { name: title }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('a file of ads is checked, imported, and its refused rows are shown', async () => {
  const { page, context, wrongs } = await open(browser);
  await register(page, newName('dealer'));
  await page.goto('/my');
  await page.getByRole('link', { name: 'Import ads from a file' }).click();
  const rows =
    'externalId,title,price,description,status\n1,Oak shelf,90,Solid oak.,draft\n2,Pine shelf,-1,Pine.,draft\n';
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles([{ name: 'ads.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }]);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: /^Check of/ }).waitFor();
  await page.getByText('Done', { exact: true }).waitFor();
  await page.getByText('Refused rows').click();
  await page.getByRole('listitem').getByText('Row 2').waitFor();
  await page.getByLabel('Only check the file').uncheck();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: /^Import of/ }).waitFor();
  await expect.poll(() => page.getByText('Done', { exact: true }).count()).toBe(2);
  await page.goto('/my');
  await page.getByRole('link', { name: 'Oak shelf' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
