/** A buyer and a seller write to each other, each in a browser of their own. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import de from '../src/i18n/de.json';
import deInbox from '../src/i18n/inbox/de.json';
import ruInbox from '../src/i18n/inbox/ru.json';
import ru from '../src/i18n/ru.json';
import { DESKTOP, few, launch, longTest, open, PHONE, type Watched } from './support/browser';
import { account, enter, post } from './support/messages';
import { logIn, newName, openSaved } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const text = (page: Page, words: string) => page.locator('.messages').getByText(words, { exact: true });
const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to/ });

async function say(page: Page, words: string): Promise<void> {
  await composer(page).fill(words);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

async function end(...all: Watched[]): Promise<void> {
  for (const { context, wrongs } of all) {
    expect(wrongs).toEqual([]);
    await context.close();
  }
}

it('a buyer writes from the ad, logs in on the way, and both read at once what the other writes', async () => {
  const seller = await account('Paula');
  const ad = await post(seller.client, 90);
  const [buyer, owner] = [await open(browser, PHONE), await open(browser, DESKTOP)];
  await enter(owner.page, seller.name);

  const { page } = buyer;
  await page.goto(`/a/${ad.id}`);
  await page.getByRole('button', { name: 'Write to the seller' }).click();
  await page.getByRole('button', { name: 'Is it still available?' }).click();
  await page.getByRole('button', { name: 'Log in and send' }).click();
  await page.getByRole('link', { name: 'Create one' }).click();
  await page.getByLabel('User name').fill(newName('buyer'));
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByLabel('First name').fill('Boris');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.waitForURL(`**/a/${ad.id}*`);
  expect(await page.getByLabel('Your message').inputValue()).toBe('Is it still available?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('link', { name: 'To the conversation' }).click();
  await text(page, 'Is it still available?').waitFor();

  // The seller hears of it in the bar and in the title, reads it, and answers.
  const desk = owner.page;
  await desk.getByRole('link', { name: 'Messages, 1 unread' }).waitFor();
  await expect.poll(() => desk.title()).toMatch(/^\(1\) /);
  await desk.getByRole('link', { name: 'Messages, 1 unread' }).click();
  const row = desk.getByRole('listitem').filter({ hasText: 'Boris' });
  await row.getByText('1 unread').waitFor();
  await row.getByRole('link').click();
  await text(desk, 'Is it still available?').waitFor();
  await desk.getByRole('link', { name: 'Messages', exact: true }).waitFor();
  await expect.poll(() => desk.title()).not.toMatch(/^\(/);
  await say(desk, 'It is. Come on Friday.');
  await text(page, 'It is. Come on Friday.').waitFor();
  await say(page, 'I will.');
  await text(desk, 'I will.').waitFor();
  // The answer brings that the other has read it.
  await desk.locator('.message.mine').getByText('Read').waitFor();
  // On wide screens the list is beside it, and follows.
  await row.getByText('I will.').waitFor();
  await desk.getByRole('link', { name: ad.title }).last().waitFor();
  // On phones there is one of both.
  expect(await page.locator('.inbox-list').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'All conversations' }).click();
  await page.getByRole('link', { name: 'Paula' }).waitFor();
  expect(await page.locator('.inbox-list').isVisible()).toBe(true);

  // At the ad, the way is now to the conversation.
  await page.goto(`/a/${ad.id}`);
  await page.getByRole('button', { name: 'Write to the seller' }).click();
  await page.getByRole('link', { name: 'To the conversation' }).waitFor();
  await end(buyer, owner);
});

it.each(
  few([
    ['de-DE', { ...de, ...deInbox }],
    ['ru-RU', { ...ru, ...ruInbox }],
  ]),
)('in %s a buyer writes from the ad, makes an offer, and reads that it is accepted', async (locale, said) => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 90);
  const one = await open(browser, { ...PHONE, locale });
  const { page } = one;
  await logIn(page, buyer.name);
  await page.goto(`/a/${ad.id}`);
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  await press(said['seller.write']);
  await press(said['opener.available']);
  await press(said['write.send']);
  await page.getByRole('link', { name: said['write.toConversation'] }).click();
  await text(page, said['opener.available']).waitFor();
  await press(said['offer.start']);
  await page.getByLabel(said['offer.price']).fill('70');
  await press(said['offer.make']);
  await page.locator('.offer').getByText(said['offer.title']).waitFor();
  const [conversation] = (await seller.client.listConversations()).results;
  const { results } = await seller.client.listMessages(conversation?.id ?? 0);
  expect(results.map((message) => message.text)).toContain(said['opener.available']);
  const offer = results.find((message) => message.offer)?.offer;
  expect(offer?.price).toBe(70);
  await seller.client.acceptOffer(offer?.id ?? 0);
  await page.locator('.offer').getByText(said['offer.accepted']).waitFor();
  await end(one);
});

it('what is written without a connection is sent once, also after the page was left', async () => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 20);
  const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: 'Hello' });
  const one = await open(browser);
  const { page, context } = one;
  await enter(page, buyer.name);
  await page.goto(`/messages/${conversation}`);
  await text(page, 'Hello').waitFor();

  await context.setOffline(true);
  await say(page, 'First');
  await say(page, 'Second');
  await page.locator('.waits').nth(1).waitFor();
  await page.getByText('You are offline').or(page.getByText('The connection is lost')).first().waitFor();
  await context.setOffline(false);
  await expect.poll(() => page.locator('.waits').count()).toBe(0);

  // The answer is lost, and the page is loaded again: the same key makes it one message.
  const keys: (string | undefined)[] = [];
  await context.route('**/conversations/*/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    await route.fetch();
    return keys.length === 1 ? route.abort('connectionreset') : route.continue();
  });
  await say(page, 'Third');
  await expect.poll(() => keys.length).toBe(1);
  await page.goto('/account');
  await expect.poll(() => keys.length).toBe(2);
  expect(new Set(keys).size).toBe(1);
  await page.goto(`/messages/${conversation}`);
  await text(page, 'Third').waitFor();
  const { results } = await seller.client.listMessages(conversation);
  expect(results.map((message) => message.text).reverse()).toEqual(['Hello', 'First', 'Second', 'Third']);

  // What was not sent stays beside its conversation.
  await composer(page).fill('Not yet');
  await openSaved(page);
  await page.goBack();
  await composer(page).waitFor();
  expect(await composer(page).inputValue()).toBe('Not yet');
  await end(one);
});

it('a first message whose answer is lost is sent again with the same key, and is one message', async () => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 30);
  const one = await open(browser);
  const { page, context } = one;
  await enter(page, buyer.name);
  const keys: (string | undefined)[] = [];
  await context.route('**/ads/*/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort('connectionreset');
  });
  await page.goto(`/a/${ad.id}`);
  await page.getByRole('button', { name: 'Write to the seller' }).click();
  await page.getByLabel('Your message').fill('Is it heavy?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('link', { name: 'To the conversation' }).click();
  await text(page, 'Is it heavy?').waitFor();
  expect(keys.length).toBe(2);
  expect(new Set(keys).size).toBe(1);
  const [conversation] = (await seller.client.listConversations()).results;
  const { results } = await seller.client.listMessages(conversation?.id ?? 0);
  expect(results.map((message) => message.text)).toEqual(['Is it heavy?']);
  await end(one);
});

longTest('who has written to too many sellers reads until when, and keeps the text', async () => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 25);
  const one = await open(browser, PHONE);
  const { page } = one;
  await enter(page, buyer.name);
  await page.route('**/ads/*/messages', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '7200', 'content-type': 'application/problem+json' },
      json: { type: '/problems#rate-limited', title: 'Too many requests', status: 429, detail: '' },
    }),
  );
  await page.goto(`/a/${ad.id}`);
  await page.getByRole('button', { name: 'Write to the seller' }).click();
  await page.getByRole('button', { name: 'Is it still available?' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('as many new sellers as you can').waitFor();
  expect(await page.getByLabel('Your message').inputValue()).toBe('Is it still available?');
  // It waits over a reload, too.
  await page.unroute('**/ads/*/messages');
  await page.reload();
  await page.getByRole('button', { name: 'Write to the seller' }).click();
  await page.getByText('as many new sellers as you can').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('You have written to the seller.').waitFor();
  expect((await seller.client.listConversations()).results).toHaveLength(1);
  await end(one);
});

longTest('who is blocked cannot write, until the block is ended in the account', async () => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 30);
  const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: 'Give it to me.' });
  const [owner, other] = [await open(browser), await open(browser, PHONE)];
  await enter(owner.page, seller.name);
  await enter(other.page, buyer.name);
  await other.page.goto(`/messages/${conversation}`);
  await composer(other.page).fill('At once.');

  const { page } = owner;
  await page.goto(`/messages/${conversation}`);
  await page.locator('main summary').click();
  await page.getByRole('button', { name: 'Block Boris' }).click();
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByText('You have blocked Boris.').waitFor();
  // The other party is refused, and keeps the text.
  await other.page.getByRole('button', { name: 'Send', exact: true }).click();
  await other.page.getByText('You cannot write to each other.').waitFor();
  await text(other.page, 'At once.').waitFor();
  await other.page.reload();
  await other.page.getByText('You and Paula cannot write to each other.').waitFor();

  await page.goto('/account');
  await page.getByRole('button', { name: 'Unblock Boris' }).click();
  await page.getByText('You have not blocked anyone.').waitFor();
  await other.page.reload();
  await other.page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => other.page.locator('.waits').count()).toBe(0);
  await page.goto(`/messages/${conversation}`);
  await text(page, 'At once.').waitFor();

  // A hidden conversation comes back with its next message.
  await page.locator('main summary').click();
  await page.getByRole('button', { name: 'Hide until the next message' }).click();
  await page.getByText('No messages yet.').waitFor();
  await say(other.page, 'Still there?');
  await page.getByRole('link', { name: 'Boris' }).waitFor();
  await end(owner, other);
});

it('a reader is warned, may report, and follows no link of a young account', async () => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 40);
  const bad = 'Pay in advance: https://pay.example.com/now or mail anna@example.com';
  const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: bad });
  const owner = await open(browser, { viewport: { width: 320, height: 640 } });
  const { page } = owner;
  await enter(page, seller.name);
  await page.goto(`/messages/${conversation}`);
  await page.getByText('Please be careful').waitFor();
  await page.getByText('This message has a link.').waitFor();
  await page.getByText('This message has an e-mail address.').waitFor();
  expect(await page.locator('.bubble a').count()).toBe(0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);

  await page.getByRole('button', { name: /^Report the message: Pay in advance/ }).click();
  await page.getByLabel('What is wrong?').selectOption('scam');
  await page.getByRole('button', { name: 'Send the report' }).click();
  await page.getByText('A moderator will look at it').waitFor();
  // Written by an older account, it would be a link.
  await page.route('**/conversations/*', async (route) => {
    const answer = await route.fetch();
    const found = (await answer.json()) as { other: { since: number } };
    found.other.since -= 8 * 86_400_000;
    return route.fulfill({ response: answer, json: found });
  });
  await page.reload();
  const link = page.locator('.bubble a');
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe('https://pay.example.com/now');
  expect(await link.getAttribute('rel')).toContain('noopener');
  await end(owner);
});

it('older messages come when they are scrolled to, by keyboard too', async () => {
  const [seller, buyer] = [await account('Paula'), await account('Boris')];
  const ad = await post(seller.client, 50);
  const { conversation } = await buyer.client.writeAboutAd(ad.id, { text: 'Message 1' });
  for (let count = 2; count <= 45; count += 1)
    await (count % 2 ? buyer : seller).client.sendMessage(conversation, { text: `Message ${count}` });
  const one = await open(browser);
  const { page } = one;
  await enter(page, buyer.name);
  await page.goto(`/messages/${conversation}`);
  await text(page, 'Message 45').waitFor();
  // It begins at its end.
  expect(await text(page, 'Message 45').isVisible()).toBe(true);
  expect(await text(page, 'Message 1').count()).toBe(0);
  await page.getByRole('region', { name: 'Messages' }).focus();
  await page.keyboard.press('Home');
  await text(page, 'Message 1').waitFor();
  await composer(page).focus();
  await page.keyboard.type('By the keyboard');
  await page.keyboard.press('Enter');
  await text(page, 'By the keyboard').waitFor();

  // What was written outlasts the account of the other party.
  await seller.client.deleteMe({ currentPassword: inject('password') });
  await page.reload();
  await page.getByText('The other account was deleted.').waitFor();
  await text(page, 'By the keyboard').waitFor();
  expect(await composer(page).count()).toBe(0);
  await end(one);
});
