/** A seller and a buyer, from registration to sold, with what goes wrong on the way. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, open, SIZES, type Watched } from './support/browser';
import { expired, logOut, newName, register } from './support/people';
import { file, png } from './support/pictures';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** As a train has it: a third of a second there, and 200 kB a second. */
async function slowDown({ page, context }: Watched): Promise<() => Promise<void>> {
  const protocol = await context.newCDPSession(page);
  const line = { offline: false, latency: 300, downloadThroughput: 200_000, uploadThroughput: 200_000 };
  await protocol.send('Network.enable');
  await protocol.send('Network.emulateNetworkConditions', line);
  return async () => {
    await protocol.send('Network.emulateNetworkConditions', {
      ...line,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  };
}

/** Keeps the service's answers from the page, as a line that breaks does. */
async function holdAnswers({ page, context }: Watched, urlPattern: string) {
  const protocol = await context.newCDPSession(page);
  await protocol.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Response' }] });
  const held = new Promise((resolve) => protocol.once('Fetch.requestPaused', resolve));
  return { held, release: () => protocol.detach() };
}

async function fillAd(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title);
  // As ads with like titles have it.
  await page.getByRole('button', { name: /^In .*Cars\?$/ }).click();
  await page.getByLabel('Price', { exact: true }).fill('4800');
  await page.getByLabel('Description').fill('Well kept, one owner, always in a garage.');
  await page.getByLabel('Place').fill('Berlin');
}

describe.each(SIZES)('on a %s', (size, options) => {
  it('an ad goes from its draft to sold', async () => {
    const seller = await open(browser, options);
    const buyer = await open(browser, options);
    const title = `Estate car ${size}${Date.now().toString(36)}`;
    const { page } = seller;
    await register(page, newName('seller'), { firstName: 'Paula', phone: '+49 30 1234567' });

    // A reload in the middle of writing loses nothing and doubles nothing: the service has the picture, and its answer
    // is lost. A picture that is none is told at its field.
    await (size === 'phone'
      ? page.getByRole('link', { name: 'Sell', exact: true })
      : page.getByRole('button', { name: 'Post an ad' })
    ).click();
    await fillAd(page, title);
    const answers = await holdAnswers(seller, '*/ads/*/images');
    await page
      .getByLabel('Pictures')
      .setInputFiles([
        file('front.png', png(640, 480, 2)),
        { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture at all') },
      ]);
    await page.locator('.pictures-field').getByText('“notes.png” is not a picture').waitFor();
    await page.getByText('The draft is saved').waitFor();
    await answers.held;
    await page.reload();
    await answers.release();
    await page.getByRole('img', { name: 'Picture 1' }).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe(title);
    expect(await page.getByRole('img', { name: 'Picture 2' }).count()).toBe(0);

    // All faults come at once, each at its field.
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { name: /missing or not right/ }).waitFor();
    const alert = page.getByRole('alert').filter({ has: page.getByRole('heading') });
    await alert.getByText('Make').waitFor();
    await alert.getByText('Mileage').waitFor();
    await page.getByLabel('Make').selectOption('volvo');
    await page.getByLabel('Year of first registration').fill('2014');
    await page.getByLabel('Mileage').fill('125000');

    // A moment offline is shown, on a slow line the progress, and the ad is published once.
    await seller.context.setOffline(true);
    await page.getByLabel('Pictures').setInputFiles([file('huge.png', png(2400, 1800, 5, true))]);
    await page.getByRole('button', { name: 'Edit picture 2' }).press('Enter');
    await page.getByRole('button', { name: 'Make first' }).press('Enter');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('The connection is lost').first().waitFor();
    const faster = await slowDown(seller);
    await seller.context.setOffline(false);
    await page.getByRole('progressbar', { name: 'Sending picture 1' }).waitFor();
    await faster();
    await page.waitForURL(/\/a\/\d+[^/]*$/);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByRole('heading', { name: 'Your ad is online' }).waitFor();
    const [address = ''] = /^\/a\/\d+/.exec(new URL(page.url()).pathname) ?? [];

    // The buyer finds it as everybody does, and is told the contact after registering.
    const visitor = buyer.page;
    await visitor.goto('/');
    await visitor.getByRole('combobox', { name: 'Search ads' }).fill(`"${title}"`);
    await visitor.getByRole('combobox', { name: 'Search ads' }).press('Enter');
    await visitor.getByRole('link', { name: title }).click();
    await visitor.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await visitor.getByText('+49 30 1234567').count()).toBe(0);
    const name = newName('buyer');
    await register(visitor, name, { firstName: 'Boris' });
    await visitor.goto(address);
    await visitor.getByRole('button', { name: 'Show phone number' }).click();
    await visitor.getByText('+49 30 1234567').waitFor();
    await visitor.getByLabel('Your comment').fill('Is it still there?');
    await visitor.getByRole('button', { name: 'Send comment' }).click();
    await visitor.getByText('Is it still there?', { exact: true }).waitFor();

    // A token that has expired is renewed, and nobody notices.
    let replaced = false;
    await page.route('**/ads/*/reserve', async (route) => {
      const headers = route.request().headers();
      const token = headers.authorization?.replace('Bearer ', '') ?? '';
      if (replaced) return route.continue();
      replaced = true;
      return route.continue({ headers: { ...headers, authorization: `Bearer ${expired(token)}` } });
    });
    await page.getByRole('button', { name: 'Reserve' }).click();
    await page.locator('.standing').getByText('Reserved').waitFor();
    expect(replaced).toBe(true);

    // Two tabs change the same ad: the second is told of the first.
    const other = await seller.context.newPage();
    await other.goto(`${address}/edit`);
    await other.getByLabel('Price', { exact: true }).fill('4500');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Price', { exact: true }).fill('4600');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.waitForURL(`**${address}*`);
    await page.getByLabel('Description').fill('Well kept, one owner. Winter tyres too.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'This ad was changed in another window' }).waitFor();
    const price = page.getByRole('group', { name: 'Price' });
    await price.getByText('The saved version').click();
    await price.getByText('€4,500').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(`**${address}*`);
    await page.getByText('€4,500').first().waitFor();
    await page.getByText('Winter tyres too').waitFor();
    await other.close();

    // Sold: its seller sees it so, and who has seen it before what it was, and that it is gone.
    await page.getByRole('button', { name: 'Mark as sold' }).click();
    await page
      .getByRole('group', { name: 'Mark it as sold?' })
      .getByRole('button', { name: 'Mark as sold' })
      .click();
    await page.locator('.standing').getByText('Sold').waitFor();
    await visitor.goto(address);
    await visitor.getByRole('region', { name: 'This ad is no longer available' }).waitFor();
    await page.goto('/my?status=sold');
    await page.getByRole('link', { name: title }).waitFor();
    await logOut(page);
    await page.getByRole('button', { name: 'Log in' }).waitFor();

    expect(seller.wrongs).toEqual([]);
    expect(buyer.wrongs).toEqual([]);
    await seller.context.close();
    await buyer.context.close();
  });
});
