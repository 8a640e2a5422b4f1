/** Accounts and ads of people who write to each other. */
import { AdsvcClient } from 'adsvc-client';
import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { loggedIn, newName } from './people';
import { png } from './pictures';

export interface Person {
  name: string;
  client: AdsvcClient;
}

export async function account(firstName: string, phone = ''): Promise<Person> {
  const client = new AdsvcClient({ baseUrl: inject('url') });
  const name = newName(firstName.toLowerCase());
  const password = inject('password');
  await client.register({ username: name, password, firstName, phone });
  await client.login({ username: name, password });
  return { name, client };
}

let posted = 0;

/** An ad that is free for 0. */
export async function post(seller: AdsvcClient, price: number): Promise<{ id: number; title: string }> {
  posted += 1;
  const title = `Chest ${process.pid} ${posted}`;
  const picture = new Blob([new Uint8Array(png(320, 240, posted))], { type: 'image/png' });
  const ad = await seller.createAd(
    {
      title,
      price,
      priceType: price ? 'negotiable' : 'free',
      description: 'Solid oak.',
      category: 'home',
    },
    [picture],
  );
  return { id: ad.pk, title };
}

/** Logs in on its page, whatever the size. */
export async function enter(page: Page, name: string): Promise<void> {
  await page.goto('/account/login');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.locator('form .primary').click();
  await loggedIn(page);
}
