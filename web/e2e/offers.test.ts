/** Two people agree on a price, and the seller says who bought it. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, open, PHONE } from './support/browser';
import { account, enter, post } from './support/messages';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const offer = (page: Page, price: string) => page.locator('.offer').filter({ hasText: price });
const happened = (page: Page, words: string) => page.locator('.happened').getByText(words);

async function propose(page: Page, price: string): Promise<void> {
  await page.getByLabel('Your price').fill(price);
  await page.getByRole('button', { name: 'Send the offer' }).click();
}

it('where the site hides contacts, the number is there by a press, and the address is not', async () => {
  const [seller, silent, buyer] = [
    await account('Paula', '+49 30 7654321'),
    await account('Olga'),
    await account('Boris'),
  ];
  const [ad, other] = [await post(seller.client, 10), await post(silent.client, 10)];
  const one = await open(browser);
  const { page } = one;
  const change = (path: string, values: object) =>
    page.route(path, async (route) => {
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: { ...(await answer.json()), ...values } });
    });
  await change('**/site', { contact: 'hidden' });
  for (const { id } of [ad, other]) await change(`**/ads/${id}`, { email: '', phone: '' });
  await enter(page, buyer.name);
  await page.goto(`/a/${ad.id}`);
  await page.getByRole('button', { name: 'Show phone number' }).click();
  await page.getByRole('link', { name: '+49 30 7654321' }).waitFor();
  expect(await page.locator('a[href^="mailto:"]').count()).toBe(0);
  await page.goto(`/a/${other.id}`);
  await page.getByRole('button', { name: 'Show phone number' }).click();
  await page.getByText('The seller has given no phone number.').waitFor();
  expect(one.wrongs).toEqual([]);
  await one.context.close();
});

it('an offer is countered, withdrawn, made again and accepted, and the ad is sold to its buyer', async () => {
  const [seller, buyer, other] = [
    await account('Paula', '+49 30 7654321'),
    await account('Boris'),
    await account('Ivan'),
  ];
  const ad = await post(seller.client, 100);
  await other.client.writeAboutAd(ad.id, { text: 'Is it oak?' });
  const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: 'Would you take less?' });
  const [left, right] = [await open(browser, PHONE), await open(browser)];
  await enter(left.page, buyer.name);
  await enter(right.page, seller.name);
  await left.page.goto(`/messages/${conversation}`);
  await right.page.goto(`/messages/${conversation}`);

  await left.page.getByRole('button', { name: 'Make an offer' }).click();
  // Never read as 6050.
  await propose(left.page, '60,50');
  await left.page.getByText('Prices have no such fractions here. Write 60 or 61.').waitFor();
  await propose(left.page, '60,00');
  await offer(right.page, '€60').getByRole('button', { name: 'Suggest another price' }).click();
  await propose(right.page, '90');
  // The answer declines the first one, on both pages.
  await offer(left.page, '€60').getByText('Declined').waitFor();
  await offer(right.page, '€60').getByText('Declined').waitFor();
  await offer(left.page, '€90').getByRole('button', { name: 'Decline' }).click();
  await happened(right.page, 'The offer of €90 was declined.').waitFor();
  await left.page.getByRole('button', { name: 'Make an offer' }).click();
  await propose(left.page, '70');
  // What was withdrawn a moment ago is not accepted: the page shows how it is now.
  await offer(right.page, '€70').getByRole('button', { name: 'Accept' }).waitFor();
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await right.page.route('**/offers/*/accept', (route) => held.then(() => route.continue()));
  await offer(right.page, '€70').getByRole('button', { name: 'Accept' }).click();
  await offer(left.page, '€70').getByRole('button', { name: 'Withdraw' }).click();
  await happened(left.page, 'The offer of €70 was withdrawn.').waitFor();
  go();
  await offer(right.page, '€70').getByText('This is not possible any more.').waitFor();
  await offer(right.page, '€70').getByText('Withdrawn').waitFor();

  await left.page.getByRole('button', { name: 'Make an offer' }).click();
  await propose(left.page, '80');
  await offer(right.page, '€80').getByRole('button', { name: 'Accept' }).click();
  await happened(left.page, 'The offer of €80 was accepted. The ad is reserved.').waitFor();
  await left.page.locator('.thread-ad').getByText('Reserved').waitFor();
  expect(await left.page.getByRole('button', { name: 'Make an offer' }).count()).toBe(0);
  const agreed = right.page.getByRole('region', { name: 'Agreed on €80' });
  await agreed.getByRole('button', { name: 'Mark as done' }).waitFor();

  // The phone number is there by a press.
  await left.page.goto(`/a/${ad.id}`);
  await left.page.getByRole('button', { name: 'Write to the seller' }).waitFor();
  expect(await left.page.getByText('+49 30 7654321').count()).toBe(0);
  await left.page.getByRole('button', { name: 'Show phone number' }).click();
  await left.page.getByRole('link', { name: '+49 30 7654321' }).waitFor();

  const { page } = right;
  await page.locator('.thread-ad a').click();
  await page.getByText('Phone number read by 1 person').waitFor();
  await page.getByText('2 people have written').waitFor();
  await page.getByRole('button', { name: 'Mark as sold' }).click();
  await page.getByLabel('Ivan').waitFor();
  await page.getByLabel('Boris').check();
  await page
    .getByRole('group', { name: 'Who bought it?' })
    .getByRole('button', { name: 'Mark as sold' })
    .click();
  await page.locator('.standing').getByText('Sold').waitFor();
  await left.page.goto(`/messages/${conversation}`);
  await happened(left.page, 'Sold to you.').waitFor();

  // Each rates the other, and sees the other's words when both have.
  const rate = async (on: Page, other: string, stars: string, text: string): Promise<void> => {
    const form = on.getByRole('form', { name: `How was it with ${other}?` });
    await form.getByLabel(stars).check();
    await form.getByLabel('In your words').fill(text);
    await form.getByRole('button', { name: 'Send the rating' }).click();
    await on.getByRole('region', { name: `Your rating of ${other}` }).waitFor();
  };
  await rate(left.page, 'Paula', '4 – good', 'Heavier than it looks.');
  await left.page.getByText('It is shown when both of you have rated').waitFor();
  await page.goto(`/messages/${conversation}`);
  expect(await page.getByText('Heavier than it looks.').count()).toBe(0);
  await rate(page, 'Boris', '5 – very good', 'On time.');
  await page.getByText('Heavier than it looks.').waitFor();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByLabel('Your answer').fill('It is oak.');
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('It is oak.').waitFor();
  await left.page.goto('/my/deals');
  await left.page.getByText('On time.').waitFor();
  await left.page.getByText(/Bought from Paula on/).waitFor();
  await left.page.goto(`/seller/${(await seller.client.getMe()).id}`);
  await left.page.getByRole('img', { name: '4 of 5 stars' }).waitFor();
  await left.page.getByText('Answer of Paula').waitFor();
  for (const { context, wrongs } of [left, right]) {
    expect(wrongs).toEqual([]);
    await context.close();
  }
});
