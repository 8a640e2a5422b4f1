/** Administrators find what waits, and act on it. */
import { readFile } from 'node:fs/promises';
import { AdsvcClient } from 'adsvc-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { DESKTOP, launch, longTest, open, PHONE, SIZES } from './support/browser';
import { account, post } from './support/messages';
import { logIn } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

async function office(size = DESKTOP): Promise<Awaited<ReturnType<typeof open>>> {
  const opened = await open(browser, size);
  await opened.page.goto('/account/login?next=%2Fconsole');
  await opened.page.getByLabel('User name').fill(inject('admin'));
  await opened.page.getByLabel('Password').fill(inject('password'));
  await opened.page.locator('form .primary').click();
  await opened.page.getByRole('heading', { level: 1, name: 'Console' }).waitFor();
  return opened;
}

const part = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Console sections' }).getByRole('link', { name, exact: true }).click();

async function admin(): Promise<AdsvcClient> {
  const client = new AdsvcClient({ baseUrl: inject('url') });
  await client.login({ username: inject('admin'), password: inject('password') });
  return client;
}

it.each(SIZES)('every part has its address, on a %s, in three languages', async (_, size) => {
  const { page, context, wrongs } = await office(size);
  await page.getByText('Open cases').waitFor();
  for (const [name, there] of [
    ['Ads', '.console-ad'],
    ['Accounts', '.accounts li'],
    ['Categories', '.list li[data-slug]'],
    ['Operations', '.disclosure button'],
    ['Audit trail', '.list li'],
    ['Outbox', '.tabs'],
    ['Jobs', '.list li'],
    ['Keys', '.disclosure button'],
    ['Webhooks', '.disclosure button'],
    ['Settings', '.list li'],
  ] as const) {
    await part(page, name);
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await page.locator(there).first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(wide, name).toBe(false);
  }
  for (const [tag, title] of [
    ['de', 'Einstellungen'],
    ['ru', 'Настройки'],
  ] as const) {
    await page.locator('footer select').selectOption(tag);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  expect(wrongs).toEqual([]);
  await context.close();
});

it('an account gets another role, by the password of who gives it', async () => {
  const person = await account('Rolf');
  const { page, context, wrongs } = await office();
  await part(page, 'Accounts');
  await page.getByLabel('User name begins with').fill(person.name);
  await page
    .getByRole('region', { name: 'Accounts' })
    .getByRole('button', { name: 'Apply', exact: true })
    .click();
  await page.getByRole('link', { name: person.name }).click();
  await page.getByRole('heading', { name: person.name }).waitFor();
  await page.getByText('not confirmed').waitFor();
  await page.getByRole('button', { name: 'Change the role' }).click();
  await page.getByLabel('Role').selectOption('MODERATOR');
  await page.getByLabel('Your own password').fill('not the password');
  await page.getByRole('button', { name: 'Change the role' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Your own password').fill(inject('password'));
  await page.getByRole('button', { name: 'Change the role' }).click();
  await page.getByText('Role changed.').waitFor();
  expect((await person.client.getMe()).role).toBe('MODERATOR');
  await page.getByRole('link', { name: 'Audit trail of this account' }).click();
  await page.locator('code', { hasText: 'role_changed' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

longTest('chosen ads are hidden after a look at what would happen, and saved as a table', async () => {
  const seller = await account('Olga');
  const ads = [await post(seller.client, 10), await post(seller.client, 20), await post(seller.client, 30)];
  await seller.client.withdrawAd(ads[2]?.id ?? 0);
  const me = await seller.client.getMe();
  const { page, context, wrongs } = await office();
  await page.goto(`/console/ads?author=${me.id}`);
  await page.locator('.console-ad').nth(2).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\r\n');
  expect(lines[0]).toBe('id,status,title,price,category,author,created,updated');
  expect(lines).toHaveLength(4);

  await page.getByLabel('Select all loaded').check();
  await page.getByLabel('Explanation').fill('Offers of things that do not exist.');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('2 ads will be hidden.').waitFor();
  await page.getByText('not public (Withdrawn)').waitFor();
  expect((await seller.client.getAd(ads[0]?.id ?? 0)).status).toBe('active');
  await page.getByRole('button', { name: 'Hide 2 ads' }).click();
  await page.getByText('2 ads are hidden now.').waitFor();
  await page.getByText('1 ad stays as it is:').waitFor();
  for (const ad of ads.slice(0, 2)) expect((await seller.client.getAd(ad.id)).status).toBe('suspended');
  expect((await seller.client.listMyDecisions()).results).toHaveLength(2);

  // Who has hidden them cannot show them again.
  await page.getByLabel('Select all loaded').check();
  await page.getByLabel('Action').selectOption('restore');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('0 ads will be shown again.').waitFor();
  await page.getByText('you hid it, so another moderator has to undo that').first().waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

longTest('a job is run, and the trail says by whom', async () => {
  const { page, context, wrongs } = await office();
  await part(page, 'Jobs');
  const row = page.getByRole('listitem').filter({ hasText: 'search-phrases' });
  await row.getByRole('button', { name: 'Run now: search-phrases' }).click();
  await page.getByText('The job starts at once').waitFor();
  // It is done when the button is there again.
  await row.getByRole('button', { name: 'Run now: search-phrases', disabled: false }).waitFor();
  await part(page, 'Audit trail');
  await page.getByLabel('Event').selectOption('job_requested');
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText('→ search-phrases').first().waitFor();
  await part(page, 'Settings');
  await page.getByLabel('Name or value').fill('jwt_secret');
  const secret = page
    .locator('.settings li')
    .filter({ has: page.getByText('ADSVC_JWT_SECRET', { exact: true }) });
  await secret.getByText('secret', { exact: true }).waitFor();
  expect(await page.content()).not.toContain(inject('secret'));
  expect(wrongs).toEqual([]);
  await context.close();
});

longTest('categories are moved by keys, named in each language, and taken from a file', async () => {
  const client = await admin();
  await client.putCategory('boxes', { name: 'Boxes', position: 900, parent: null });
  await client.putCategory('crates', { name: 'Crates', position: 910, parent: null });
  const { page, context, wrongs } = await office();
  await part(page, 'Categories');
  const grip = page.getByRole('button', { name: 'Move Crates: arrow keys' });
  await grip.focus();
  await page.keyboard.press('ArrowUp');
  await page.getByText(/Crates is at position/).waitFor();
  const order = async (): Promise<string[]> =>
    (await client.listCategories()).results
      .map(({ slug }) => slug)
      .filter((slug) => slug === 'boxes' || slug === 'crates');
  expect(await order()).toEqual(['crates', 'boxes']);
  // The same by the mouse.
  const [from, to] = await Promise.all([
    page.getByRole('button', { name: 'Move Boxes: arrow keys' }).boundingBox(),
    grip.boundingBox(),
  ]);
  if (!from || !to) throw new Error('not there');
  await page.mouse.move(from.x + 10, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(to.x + 10, to.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.getByText(/Boxes is at position/).waitFor();
  expect(await order()).toEqual(['boxes', 'crates']);

  await page.getByRole('button', { name: 'Edit Boxes' }).click();
  await page.getByRole('tab', { name: 'de' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Kisten');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await client.getCategory('boxes')).names).toEqual({ de: 'Kisten' });

  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const file = await readFile(await (await saved).path(), 'utf8');
  await client.deleteCategory('crates');
  await client.putCategory('boxes', { name: 'Cases', position: 900, parent: null });
  await client.putCategory('bins', { name: 'Bins', position: 920, parent: null });
  await page.reload();
  await page.getByRole('button', { name: 'Edit Bins' }).waitFor();
  const choose = (): Promise<void> =>
    page.getByLabel('Import a file').setInputFiles({
      name: 'categories.json',
      mimeType: 'application/json',
      buffer: Buffer.from(file),
    });
  await choose();
  const changes = page.getByRole('region', { name: 'Changes by this file' });
  const shown = changes.getByRole('listitem');
  expect(await shown.filter({ hasText: 'Crates' }).textContent()).toMatch(/^New/);
  expect(await shown.filter({ hasText: 'Boxes' }).textContent()).toContain('renamed from “Cases”');
  expect(await shown.filter({ hasText: 'Bins' }).textContent()).toContain('not in the file');
  expect(await shown.count()).toBe(3);
  // What was changed since is not overwritten, nor what comes after it.
  await client.putCategory('boxes', { name: 'Chests', position: 900, parent: null });
  await changes.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(/Someone changed “Cases” since the preview/).waitFor();
  expect((await client.getCategory('boxes')).name).toBe('Chests');
  await page.getByRole('button', { name: 'Edit Chests' }).waitFor();
  await choose();
  await changes.getByLabel('Also delete the categories that the file lacks').check();
  await changes.getByRole('button', { name: 'Apply' }).click();
  await changes.waitFor({ state: 'detached' });
  expect(await order()).toEqual(['boxes', 'crates']);
  expect((await client.listCategories()).results.some(({ slug }) => slug === 'bins')).toBe(false);
  for (const slug of ['boxes', 'crates']) await client.deleteCategory(slug);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('options of an attribute are a list, named in each language', async () => {
  const client = await admin();
  await client.putCategory('lids', { name: 'Lids', position: 920, parent: null });
  const { page, context, wrongs } = await office(PHONE);
  await page.goto('/console/categories');
  await page.getByRole('button', { name: 'Edit Lids' }).click();
  await page.getByRole('button', { name: 'New attribute' }).click();
  const attribute = page.locator('.attribute-editor');
  await attribute.getByLabel('Name in the API').fill('size');
  await attribute.getByLabel('Type').selectOption('enum');
  const options = attribute.getByRole('group', { name: 'Options' });
  const add = async (value: string, label: string): Promise<void> => {
    await options.getByRole('button', { name: 'Add an option' }).click();
    await options.getByLabel('Name in the API').last().fill(value);
    await options.getByLabel('Label').last().fill(label);
  };
  await add('large', 'Large; very = large');
  await add('small', 'Small');
  await options.getByRole('button', { name: 'Move “Small” up' }).click();
  await attribute.getByRole('tab', { name: 'de' }).click();
  await options.getByLabel('Label').first().fill('Klein');
  await options.getByRole('button', { name: 'Add an option' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Edit Lids' }).waitFor();
  const [size] = (await client.getCategory('lids')).attributes;
  expect(size?.options).toMatchObject([
    { value: 'small', label: 'Small', labels: { de: 'Klein' } },
    { value: 'large', label: 'Large; very = large', labels: {} },
  ]);
  await client.deleteCategory('lids');
  expect(wrongs).toEqual([]);
  await context.close();
});

it('a person without the role is kept out', async () => {
  const { page, context } = await open(browser);
  await logIn(page, inject('moderator'));
  await page.goto('/console/settings');
  await page.getByText('Only administrators can open this page.').waitFor();
  await context.close();
});

it('a keyboard alone decides twenty cases', async () => {
  const seller = await account('Knut');
  const reporter = await account('Rita');
  const ids: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const { id } = await post(seller.client, 5);
    await reporter.client.reportAd(id, { reason: 'scam', text: '' });
    ids.push(id);
  }
  const { page, context, wrongs } = await open(browser);
  await logIn(page, inject('moderator'));
  await page.goto('/review');
  await page.locator('.cases li').filter({ hasText: 'Fraud' }).first().waitFor();
  // From here on no pointer.
  for (let opened = 0; opened < 10; opened += 1) {
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    // Keys in a dialog are its own.
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  await page.keyboard.press('j');
  await page.locator('.cases a:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/review\/\d+$/);
  const client = await admin();
  const left = async (): Promise<number> => {
    let count = 0;
    for await (const one of client.cases({ status: 'open' })) if (ids.includes(one.target)) count += 1;
    return count;
  };
  for (let decided = 0; decided < 60 && (await left()) > 0; decided += 1) {
    const path = new URL(page.url()).pathname;
    // The case before is on the page until this one is.
    const { ad } = await client.getCase(Number(path.split('/')[2]));
    await page.locator(`main a[href="/a/${ad}"]`).first().waitFor();
    await page.getByRole('heading', { name: 'Decide' }).waitFor();
    if (decided % 2 === 0) {
      await page.keyboard.press('1');
      await page.locator('[type=submit]:focus').waitFor();
      await page.keyboard.press('Enter');
    } else {
      await page.keyboard.press('2');
      await page.locator('textarea:focus').waitFor();
      await page.keyboard.type('Offers of things that do not exist.');
      await page.keyboard.press(decided % 4 === 1 ? 'Control+Enter' : 'Meta+Enter');
    }
    await page.waitForURL((url) => url.pathname !== path);
  }
  expect(await left()).toBe(0);
  expect(wrongs).toEqual([]);
  await context.close();
});
