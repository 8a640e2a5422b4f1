/** *Pferdemarkt Nord*, from an empty directory in the browser alone, and its ads in the pages of others. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, launch, longTest, open, PHONE } from './support/browser';
import { type Served, served } from './support/fresh';
import { root } from './support/service';

/** `SHOTS=1` writes the pictures of docs/make-it-yours.md. */
const shots = process.env.SHOTS ? join(root, 'docs/screenshots/') : null;

let browser: Browser;
let service: Served | undefined;
const hosts: Server[] = [];
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  for (const host of hosts) host.close();
  await browser.close();
  await service?.end();
});

/** What a person does: each press, choice and text is a step. */
function person(page: Page) {
  const count = { steps: 0, letters: 0 };
  const step = (): number => ++count.steps;
  return {
    count,
    type: async (field: Locator, text: string): Promise<void> => {
      step();
      count.letters += text.length;
      await field.fill(text);
    },
    press: async (name: string | RegExp, within: Page | Locator = page): Promise<void> => {
      step();
      await within.getByRole('button', { name, exact: typeof name === 'string' }).click();
    },
    go: async (name: string): Promise<void> => {
      step();
      await page.getByRole('link', { name, exact: true }).click();
    },
    tab: async (tag: string, index = 0): Promise<void> => {
      step();
      await page.getByRole('tab', { name: tag, exact: true }).nth(index).click();
    },
    choose: async (label: string, option: string): Promise<void> => {
      step();
      await page.getByLabel(label, { exact: true }).selectOption({ label: option });
    },
    check: async (name: string, on: boolean): Promise<void> => {
      step();
      await page.getByRole('checkbox', { name, exact: true }).setChecked(on);
    },
    file: async (label: string, buffer: Buffer): Promise<void> => {
      step();
      await page.getByLabel(label).setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    },
  };
}

async function shot(page: Page, name: string): Promise<void> {
  if (!shots) return;
  await page.waitForFunction(() => [...document.images].every((one) => one.complete));
  await page.screenshot({ path: `${shots}own-${name}.jpg`, type: 'jpeg', quality: 70 });
}

/** A yellow horseshoe, as an owner has it in a file. */
const drawn = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 512;
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
    pen.fillStyle = '#ffcc00';
    pen.beginPath();
    pen.roundRect(0, 0, 512, 512, 96);
    pen.fill();
    pen.strokeStyle = '#3b2a00';
    pen.lineWidth = 64;
    pen.lineCap = 'round';
    pen.beginPath();
    pen.arc(256, 240, 120, 0.72 * Math.PI, 2.28 * Math.PI);
    pen.stroke();
    return canvas.toDataURL('image/png').slice('data:image/png;base64,'.length);
  });

longTest('an owner makes Pferdemarkt Nord in the browser alone', async () => {
  await service?.end();
  service = await served();
  const { link } = service;
  const origin = new URL(link).origin;
  const began = performance.now();
  const { page, context } = await open(browser, { viewport: { width: 1100, height: 700 } });
  const owner = person(page);
  await page.goto(link);
  const logo = Buffer.from(await drawn(page), 'base64');

  await owner.type(page.getByLabel('User name'), 'owner@example.com');
  await owner.type(page.getByLabel('Password'), 'plain-otter-under-lamp');
  await owner.type(page.getByLabel('Name of the site'), 'Pferdemarkt Nord');
  await owner.check('Русский', false);
  await owner.type(page.getByLabel('Currency'), 'CHF');
  await owner.choose('Decimals of prices', '12.00');
  await owner.type(page.getByLabel('Country'), 'CH');
  await owner.choose('Categories to begin with', 'Animals');
  await shot(page, 'setup');
  await owner.press('Set up');
  await page.getByRole('heading', { level: 1, name: 'Site', exact: true }).waitFor();

  await owner.choose('First language', 'Deutsch');
  await owner.type(page.getByLabel('Headline'), 'Everything about horses');
  await owner.tab('de');
  await owner.type(page.getByLabel('Headline'), 'Rund ums Pferd');
  await owner.type(page.getByLabel('Accent colour'), '#ffcc00');
  await owner.check('Comments on ads', false);
  await page.getByLabel('Headline').scrollIntoViewIfNeeded();
  await shot(page, 'console');
  await owner.press('Save');
  await page.getByText('Rund ums Pferd').last().waitFor();
  await owner.file('Choose a logo', logo);
  await page.getByRole('button', { name: 'Remove the logo' }).waitFor();
  await owner.file('Choose an icon', logo);
  await page.getByRole('button', { name: 'Remove the icon' }).waitFor();

  await owner.go('Categories');
  // The console has the accent at once.
  const post = page.getByRole('button', { name: 'Post an ad' });
  await expect
    .poll(() => post.evaluate((button) => getComputedStyle(button).backgroundColor))
    .toBe('rgb(255, 204, 0)');
  for (const slug of ['dogs', 'cats', 'small-animals', 'birds', 'fish', 'livestock', 'lost-animals']) {
    const row = page.locator(`[data-slug="${slug}"]`);
    await owner.press(/^Delete/, row);
    await owner.press('Delete', row);
    await row.waitFor({ state: 'detached' });
  }
  for (const [slug, icon, color] of [
    ['horses', 'horseshoe', '#b91c1c'],
    ['equipment', 'backpack', '#1d4ed8'],
  ] as const) {
    await owner.press(/^Edit/, page.locator(`[data-slug="${slug}"]`));
    await owner.press('Choose an icon');
    await owner.type(page.getByLabel('Find icons by their English names'), icon);
    if (slug === 'horses') {
      expect(await violations(page)).toEqual([]);
      await page.getByLabel('Find icons by their English names').fill('');
      await page.getByRole('button', { name: 'armchair', exact: true }).scrollIntoViewIfNeeded();
      if (shots) await page.getByText('Deleted.').waitFor({ state: 'hidden' });
      await shot(page, 'icons');
      await page.getByLabel('Find icons by their English names').fill(icon);
    }
    await owner.press(icon);
    await owner.type(page.getByLabel('Colour', { exact: true }), color);
    await owner.press('Save');
    await page.locator('[data-slug="horses"]').waitFor();
  }
  await owner.press(/^Edit/, page.locator('[data-slug="ponies"]'));
  await owner.press('Show the form of ads');
  const preview = page.getByRole('group', { name: 'Ponies' });
  await preview.getByLabel('Year of birth').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await owner.go('Pages');
  for (const [slug, title, german] of [
    ['imprint', 'Imprint', 'Impressum'],
    ['terms', 'Terms', 'Nutzungsbedingungen'],
  ] as const) {
    await owner.press('New page');
    await owner.type(page.getByLabel('Short name in addresses'), slug);
    for (const [tag, words] of [
      ['de', german],
      ['en', title],
    ] as const) {
      await owner.tab(tag);
      await owner.type(page.getByLabel('Title'), words);
      await owner.type(page.getByLabel('Text'), `${words} of *Pferdemarkt Nord*, Example Street 1, Bern`);
    }
    await owner.press('Save');
    await page.getByRole('button', { name: new RegExp(`^Edit.*(${title}|${german})`) }).waitFor();
  }
  await owner.press(/^Terms: (Terms|Nutzungsbedingungen)/);
  await page.getByText('terms to accept').waitFor();
  const seconds = (performance.now() - began) / 1000;

  const visitor = await open(browser, { ...PHONE, deviceScaleFactor: 1, locale: 'de-CH' });
  await visitor.page.goto(origin);
  await visitor.page.getByRole('heading', { level: 1, name: /Rund ums Pferd/ }).waitFor();
  await visitor.page.locator('.brand img').waitFor();
  await visitor.page.locator('.category-tiles use[href$="#horseshoe"]').waitFor({ state: 'attached' });
  await visitor.page.getByRole('link', { name: 'Impressum' }).waitFor();
  expect(await violations(visitor.page)).toEqual([]);
  await shot(visitor.page, 'phone');
  await visitor.page.goto(`${origin}/?lang=en`);
  await visitor.page.getByRole('heading', { level: 1, name: /Everything about horses/ }).waitFor();
  // By the keystroke-level model: to look and think, to point, and to type.
  const minutes = (owner.count.steps * 6 + owner.count.letters * 0.3) / 60;
  console.log(
    `${owner.count.steps} steps, ${owner.count.letters} letters: ${minutes.toFixed(0)} minutes for a person; ${seconds.toFixed(0)} s here`,
  );
  expect(minutes).toBeLessThan(30);
  await visitor.context.close();
  await context.close();
});

it('the sites that may embed ads show them, and no others', async () => {
  await service?.end();
  service = await served();
  const { link } = service;
  const origin = new URL(link).origin;
  const [known, stranger] = await Promise.all(
    [0, 1].map(async () => {
      const host = createServer((_, answer) => {
        answer.setHeader('content-type', 'text/html');
        answer.end(`<!doctype html><title>Blog</title><iframe src="${origin}/embed" title="Ads"></iframe>`);
      });
      hosts.push(host);
      await new Promise<void>((resolve) => {
        host.listen(0, '127.0.0.1', resolve);
      });
      return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    }),
  );
  const { page, context } = await open(browser, DESKTOP);
  const owner = person(page);
  await page.goto(link);
  await owner.type(page.getByLabel('User name'), 'owner@example.com');
  await owner.type(page.getByLabel('Password'), 'plain-otter-under-lamp');
  await owner.type(page.getByLabel('Name of the site'), 'Market');
  await owner.check('Post some sample ads', true);
  await owner.press('Set up');
  await page.getByRole('heading', { level: 1, name: 'Site', exact: true }).waitFor();
  await owner.type(page.getByLabel('Sites that may embed ads'), known ?? '');
  await owner.press('Save');
  await expect
    .poll(async () => (await fetch(`${origin}/embed`)).headers.get('content-security-policy'))
    .toContain(`frame-ancestors ${known}`);
  await page.goto(known ?? '');
  await page.frameLocator('iframe').getByText('Sample:').first().waitFor();
  const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(stranger ?? '');
  await refused;
  expect(await page.frameLocator('iframe').getByText('Sample:').count()).toBe(0);
  await context.close();
});
