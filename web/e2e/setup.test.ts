/** From an empty directory to a site of one's own, in the browser alone. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, launch, open } from './support/browser';
import { type Served, served } from './support/fresh';
import { root } from './support/service';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

let service: Served | undefined;
afterAll(() => service?.end());

it('a new owner makes a site of their own', async () => {
  await service?.end();
  service = await served();
  const { link } = service;
  const { page, context, wrongs } = await open(browser, DESKTOP);
  await page.goto(link);
  await page.getByLabel('User name').fill('owner@example.com');
  await page.getByLabel('Password').fill('plain-otter-under-lamp');
  await page.getByLabel('Name of the site').fill('Pferdemarkt Nord');
  await page.getByRole('checkbox', { name: 'Русский' }).uncheck();
  await page.getByLabel('Currency').fill('CHF');
  await page.getByLabel('Decimals of prices').selectOption({ label: '12.00' });
  await page.getByLabel('Categories to begin with').selectOption({ label: 'Animals' });
  await page.getByLabel('Post some sample ads').check();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Site', exact: true }).waitFor();

  await page.getByLabel('Headline').fill('All about horses');
  await page.getByLabel('Announcement').fill('New: boxes');
  for (const kind of ['Text', 'Newest ads']) {
    await page.getByLabel('New section').selectOption({ label: kind });
    await page.getByRole('button', { name: 'Add the section' }).click();
  }
  await page.getByLabel('Text of the section').fill('Post, talk, sell.');
  await page.getByLabel('Accent colour').fill('#ffcc00');
  await page.getByLabel('Own style rules (CSS)').fill('.hero h1 { letter-spacing: 2px }');
  await page.getByRole('checkbox', { name: 'Comments on ads' }).uncheck();
  // It is previewed before it is stored.
  const accent = (): Promise<string> =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'));
  expect(await accent()).toContain('255 204 0');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“All about horses”').or(page.getByText('All about horses')).first().waitFor();

  const visitor = await open(browser, { viewport: { width: 320, height: 700 } });
  await visitor.page.goto(new URL('/', link).href);
  await visitor.page.getByRole('heading', { level: 1, name: /All about horses/ }).waitFor();
  await visitor.page.getByText('New: boxes').waitFor();
  await visitor.page.getByText('Post, talk, sell.').waitFor();
  await visitor.page.getByText('Sample: Dogs').first().waitFor();
  await visitor.page
    .getByText(/CHF\s50\.00/)
    .first()
    .waitFor();
  const looks = await visitor.page.evaluate(() => {
    const { letterSpacing } = getComputedStyle(document.querySelector('.hero h1') as Element);
    const button = getComputedStyle(document.querySelector('.hero [type="submit"]') as Element);
    return [letterSpacing, button.backgroundColor];
  });
  expect(looks).toEqual(['2px', 'rgb(255, 204, 0)']);
  expect(await violations(visitor.page)).toEqual([]);
  await visitor.page.getByText('Sample: Dogs').first().click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Sample: Dogs' }).waitFor();
  expect(await visitor.page.getByRole('heading', { name: 'Comments' }).count()).toBe(0);
  // The link works once.
  await visitor.page.goto(link).catch(() => undefined);
  await visitor.page.getByText('This link is not valid').waitFor();

  await page.getByLabel('Choose an icon').setInputFiles(join(root, 'web/public/icons/512.png'));
  await page.getByRole('button', { name: 'Remove the icon' }).waitFor();
  await page.getByRole('link', { name: 'Pages', exact: true }).click();
  await page.getByRole('button', { name: 'New page' }).click();
  await page.getByLabel('Short name in addresses').fill('imprint');
  await page.getByLabel('Title').fill('Imprint');
  await page.getByLabel('Text').fill('# Us\n\n- *One*\n- [two](/docs)\n\n<b>bold</b>');
  const preview = page.getByRole('region', { name: 'Preview of the page' });
  await preview.getByRole('heading', { level: 1, name: 'Us' }).waitFor();
  await preview.getByRole('listitem').filter({ hasText: 'One' }).waitFor();
  await preview.getByText('<b>bold</b>').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Publish a new version of Imprint' }).click();
  await page.getByText('version 2').waitFor();
  expect(await violations(page)).toEqual([]);
  await acceptTerms(page, visitor.page, new URL('/', link).origin);
  await visitor.page.goto(new URL('/', link).href);
  await visitor.page.locator('link[rel="icon"][href$="-tiny.png"]').waitFor({ state: 'attached' });
  await visitor.page.getByRole('link', { name: 'Imprint' }).click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Imprint' }).waitFor();
  expect(await violations(visitor.page)).toEqual([]);
  await page.goto(new URL('/console/site', link).href);
  await page
    .getByRole('button', { name: /^Undo the change of .*headline/ })
    .first()
    .click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Headline' }).inputValue()).toBe('');
  await page.getByRole('link', { name: 'Mails' }).click();
  await page.getByLabel('Kind of mail').selectOption({ label: 'A saved ad costs less' });
  await page.getByLabel('Subject').fill('{title} at {other}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/a placeholder of this mail/).waitFor();
  await page.getByLabel('Subject').fill('{title} costs less at {site}');
  await page.getByText('{title} costs less at Pferdemarkt Nord').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Done.').first().waitFor();
  // What counts as foreign is anything but the service of the other tests.
  const own = `request: ${new URL(link).origin}/`;
  expect(wrongs.filter((one) => !one.startsWith(own))).toEqual([]);
  await visitor.context.close();
  await context.close();
});

/** The imprint becomes the terms, which a visitor accepts to register. */
async function acceptTerms(admin: Page, visitor: Page, origin: string): Promise<void> {
  await admin.getByRole('button', { name: 'Terms: Imprint' }).click();
  await admin.getByText('terms to accept').waitFor();
  await visitor.goto(`${origin}/account/register?next=/account`);
  await visitor.getByLabel('User name').fill('visitor@example.com');
  await visitor.getByLabel('Password').fill('plain-otter-under-lamp');
  await visitor.getByRole('checkbox', { name: 'I accept Imprint' }).waitFor();
  await visitor.getByRole('button', { name: 'Register' }).click();
  await visitor.getByText('Accept the terms of the site first.').waitFor();
  await visitor.getByRole('checkbox', { name: 'I accept Imprint' }).check();
  expect(await violations(visitor)).toEqual([]);
  await visitor.getByRole('button', { name: 'Register' }).click();
  await visitor.waitForURL(({ pathname }) => pathname === '/account');
  await admin.getByRole('button', { name: 'Publish a new version of Imprint' }).click();
  await admin.getByText('version 3').waitFor();
  const profile = visitor.getByRole('region', { name: 'Profile' });
  await profile.getByLabel('First name').fill('Ann');
  await profile.getByRole('button', { name: 'Save' }).click();
  const dialog = visitor.getByRole('dialog', { name: 'The terms of the site' });
  await dialog.getByRole('link', { name: 'Imprint' }).waitFor();
  expect(await violations(visitor)).toEqual([]);
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await visitor.getByText('Saved.').waitFor();
}
