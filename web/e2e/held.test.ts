/** Moderators see of what people write to each other only what was reported, or is held. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launch, open } from './support/browser';
import { account, enter, post } from './support/messages';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

it('a reported message is shown with what was written before it', async () => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 70);
  const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: 'Is it oak?' });
  await seller.client.sendMessage(conversation, { text: 'All of it.' });
  await buyer.client.makeOffer(conversation, { price: 50 });
  const bad = `Then you are a thief ${process.pid}`;
  const { id } = await buyer.client.sendMessage(conversation, { text: bad });
  await buyer.client.sendMessage(conversation, { text: 'What came after is private.' });
  await seller.client.reportMessage(conversation, id, { reason: 'offensive' });

  const desk = await open(browser);
  const { page } = desk;
  await enter(page, inject('moderator'));
  await page.goto('/review');
  // The list has no text of it.
  await page.locator('.cases li').first().waitFor();
  expect(await page.getByText(bad).count()).toBe(0);
  await page.locator('.cases li').filter({ hasText: 'Message' }).last().getByRole('link').click();
  await page.getByText(bad).waitFor();
  const before = page.getByRole('list', { name: 'Messages before it' });
  await before.getByText('Is it oak?').waitFor();
  await before.getByText('All of it.').waitFor();
  await before.getByText('made an offer').waitFor();
  expect(await page.getByText('What came after is private.').count()).toBe(0);
  // Nothing is chosen for the moderator.
  expect(await page.getByRole('button', { name: 'Decide' }).isDisabled()).toBe(true);
  await page.getByLabel('Action').selectOption('dismiss');
  await page.getByRole('button', { name: 'Decide' }).click();
  await page.getByText('The decision is made.', { exact: true }).waitFor();
  expect(desk.wrongs).toEqual([]);
  await desk.context.close();
});

it('a text that went to many sellers is held, until a moderator releases it', async () => {
  const buyer = await account('Boris');
  const text = `I take it at once, for any price ${process.pid}`;
  let last = await account('Paula');
  for (let count = 0; count < 11; count += 1) {
    last = await account('Paula');
    await buyer.client.writeAboutAd((await post(last.client, 10)).id, { text });
  }
  expect((await last.client.listConversations()).results).toEqual([]);

  const [desk, owner] = [await open(browser), await open(browser)];
  await enter(owner.page, last.name);
  await owner.page.goto('/messages');
  await owner.page.getByText('No messages yet.').waitFor();
  const { page } = desk;
  await enter(page, inject('moderator'));
  await page.goto('/review');
  await page.locator('.cases li').filter({ hasText: 'Message' }).last().getByRole('link').click();
  await page.getByText('the same text went to many sellers').waitFor();
  await page.getByText(text).waitFor();
  await page.getByLabel('Action').selectOption('dismiss');
  await page.getByRole('button', { name: 'Decide' }).click();
  await page.getByText('The decision is made.', { exact: true }).waitFor();
  // The seller's page shows it by itself.
  await owner.page.getByRole('link', { name: 'Boris' }).click();
  await owner.page.locator('.messages').getByText(text).waitFor();
  for (const { context, wrongs } of [desk, owner]) {
    expect(wrongs).toEqual([]);
    await context.close();
  }
});
