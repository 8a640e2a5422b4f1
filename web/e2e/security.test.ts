/** The security page: passkeys, by Chromium's virtual authenticator; an authenticator app; the proof of a factor again. */
import { readFile } from 'node:fs/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { DESKTOP, few, launch, open, PHONE } from './support/browser';
import { linkIn } from './support/mails';
import { codesOf, loggedIn, logIn, logOut, newName, register, send, setUpApp } from './support/people';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

interface Authenticator {
  cdp: CDPSession;
  authenticatorId: string;
}

/** The lock of this device, which its owner opens; or does not. */
async function lockOf(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

const presence = ({ cdp, authenticatorId }: Authenticator, enabled: boolean): Promise<unknown> =>
  cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });

async function addPasskey(page: Page, name: string): Promise<void> {
  const passkeys = page.getByRole('region', { name: 'Passkeys' });
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await passkeys.getByLabel('Name').fill(name);
  await passkeys.getByRole('button', { name: 'Continue' }).click();
}

it('a passkey is added, logs in by a press, and is removed', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('keyed');
  await register(page, name);
  const lock = await lockOf(page);
  await page.goto('/account');
  await page.getByRole('link', { name: /^Security/ }).click();
  await addPasskey(page, 'My phone');
  await page.getByText('The passkey is added.').waitFor();
  const one = page.getByRole('listitem').filter({ hasText: 'My phone' });
  await one.getByText('Not used yet').waitFor();
  // The same authenticator makes no second one.
  await addPasskey(page, 'Again');
  await page.getByText('has a passkey of your account already').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();

  // The passkey is not taken from the field for the user name, which nobody touches, but by the button.
  await presence(lock, false);
  await logOut(page);
  await page.goto('/account/login?next=/account/security');
  expect(await page.getByLabel('User name').getAttribute('autocomplete')).toBe('username webauthn');
  await presence(lock, true);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await one.getByText('Last used').waitFor();
  await one.getByRole('button', { name: 'Remove the passkey My phone' }).click();
  await one.getByRole('button', { name: 'Remove the passkey for good' }).click();
  await page.getByText('The passkey is removed.').waitFor();
  await logOut(page);
  // The field offers passkeys a moment after the button was pressed, and does not end what the button asks. The page after
  // logging out may offer them too, and again for each refusal.
  await page.goto('/');
  const options = '**/login/passkey/options';
  let press = (): void => undefined;
  const pressed = new Promise<void>((resolve) => {
    press = resolve;
  });
  let asked = 0;
  await page.route(options, async (route) => {
    asked += 1;
    if (asked === 1) await pressed;
    else press();
    await route.continue();
  });
  const offer = page.waitForRequest(options);
  await page.goto('/account/login');
  await offer;
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('This passkey is not known here').first().waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('a passkey is offered in the field for the user name', async () => {
  const { page, context, wrongs } = await open(browser);
  await register(page, newName('offered'));
  await lockOf(page);
  await page.goto('/account/security');
  await addPasskey(page, 'Laptop');
  await page.getByText('The passkey is added.').waitFor();
  await logOut(page);
  // The virtual authenticator takes what is offered, without a press of a button of the page.
  await page.goto('/account/login');
  await loggedIn(page);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('an app is set up by its secret, logs in, and is removed', async () => {
  const { page, context, wrongs } = await open(browser, { ...DESKTOP, acceptDownloads: true });
  const name = newName('coded');
  await register(page, name);
  await page.goto('/account/security');
  const app = page.getByRole('region', { name: 'Authenticator app' });
  await app.getByRole('button', { name: 'Set up the app' }).click();
  await app.getByLabel('Current password').fill('not the password');
  await app.getByLabel('Current password').press('Enter');
  await app.getByRole('alert').waitFor();
  await app.getByLabel('Current password').fill(inject('password'));
  await app.getByLabel('Current password').press('Enter');
  await app.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = ((await app.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
  expect(await app.getByRole('link', { name: 'The app is on this device' }).getAttribute('href')).toContain(
    `secret=${secret}`,
  );
  const code = codesOf(secret);
  await app.getByLabel('The code that the app shows').fill(code());
  await app.getByLabel('The code that the app shows').press('Enter');
  const codes = page.getByRole('region', { name: 'Your recovery codes' });
  await codes.waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Your recovery codes');
  const shown = await codes.locator('code').allTextContents();
  expect(shown).toHaveLength(10);
  const saving = page.waitForEvent('download');
  await codes.getByRole('button', { name: 'Download' }).click();
  const saved = await readFile(await (await saving).path(), 'utf8');
  expect(saved).toContain(shown.join('\n'));
  expect(saved).toContain(name);
  await app.getByText('10 recovery codes are left').waitFor();
  await codes.getByRole('button', { name: 'I have saved them' }).click();
  await codes.waitFor({ state: 'detached' });
  await logOut(page);

  await page.goto('/account/login?next=/account/security');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Log in' }).last().click();
  await page.getByLabel('Code').fill(code());
  await page.getByLabel('Code').press('Enter');
  await app.getByRole('button', { name: 'Remove the app' }).click();
  await app.getByLabel('Current password').fill(inject('password'));
  await app.getByLabel('A code from your current app').fill(shown[0] ?? '');
  await app.getByRole('button', { name: 'Remove the app and the recovery codes' }).click();
  await page.getByText('The app is removed.').waitFor();
  await app.getByRole('button', { name: 'Set up the app' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

/** The proof was long ago: the first answer to a change is what the service then says. */
async function stale(page: Page, path: string, challenge: string | null): Promise<void> {
  let refusals = 1;
  await page.route(`**${path}`, (route) => {
    // The page may read the account at any time.
    if (route.request().method() === 'GET' || refusals-- < 1) return route.fallback();
    return route.fulfill({
      status: 403,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        type: '/problems#second-factor-required',
        title: 'A second factor is required',
        status: 403,
        detail: 'Prove it again.',
        ...(challenge === null ? {} : { challenge }),
      }),
    });
  });
}

it.each(
  few([
    ['phone', { ...PHONE, viewport: { width: 320, height: 700 } }],
    ['desktop', DESKTOP],
  ]),
)('a change that needs the factor again asks for it, on a %s', async (_size, size) => {
  const { page, context, wrongs } = await open(browser, size);
  const name = newName('stale');
  await register(page, name);
  const app = await setUpApp(name);
  await page.goto('/account/login?next=/account');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.locator('form .primary').click();
  await page.getByLabel('Code').fill(app.code());
  await page.getByLabel('Code').press('Enter');
  await page.getByLabel('First name').fill('Anna');

  const refused = await fetch(`${inject('url')}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: name, password: inject('password') }),
  });
  const { challenge } = (await refused.json()) as { challenge: string };
  await stale(page, '/users/me', challenge);
  await page.getByRole('button', { name: 'Save' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.waitFor();
  expect(await dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Confirm with your second factor').waitFor();

  await stale(page, '/users/me', challenge);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await dialog.getByLabel('Code').fill('12345');
  await dialog.getByLabel('Code').press('Enter');
  await dialog.getByText('This code is wrong').waitFor();
  await dialog.getByLabel('Code').fill(app.recoveryCodes[0] ?? '');
  await dialog.getByLabel('Code').press('Enter');
  await page.getByText('Saved.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.goto('/account/security');
  // The session that was proved has taken the place of the one before; the other is that of `setUpApp`.
  const sessions = page.getByRole('region', { name: 'Where you are logged in' });
  await sessions.getByText('This one').waitFor();
  expect(await sessions.getByRole('listitem').count()).toBe(2);
  expect(wrongs).toEqual([]);
  await context.close();
});

it('an account with passkeys alone is asked for one, and takes no other account’s', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('passkeyed');
  await register(page, name);
  const lock = await lockOf(page);
  await page.goto('/account/security');
  await addPasskey(page, 'This one');
  await page.getByText('The passkey is added.').waitFor();
  await logOut(page);
  await presence(lock, false);
  await logIn(page, name);
  await presence(lock, true);
  await page.goto('/account');
  await page.getByLabel('First name').fill('Anna');
  // No mock: a session that began by the password alone is refused.
  await page.getByRole('button', { name: 'Save' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('Saved.').waitFor();
  await presence(lock, false);
  await logOut(page);

  await register(page, newName('other'));
  await presence(lock, true);
  await page.goto('/account');
  await stale(page, '/users/me', null);
  await page.getByLabel('First name').fill('Berta');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await dialog.getByText('This passkey is of another account.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('where a second factor is required, the login leads to setting one up', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('required');
  await send('/register', { username: name, password: inject('password') });
  const missing = {
    status: 403,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: '/problems#second-factor-missing',
      title: 'A second factor is missing',
      status: 403,
      detail: 'Set it up.',
    }),
  };
  await page.route('**/users/me', (route) => route.fulfill(missing));
  await page.goto('/account/login');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(inject('password'));
  await page.locator('form .primary').click();
  await page.waitForURL('**/account/security');
  await page.getByText('This site requires a second factor').waitFor();
  await page.goto('/my');
  await page.getByRole('link', { name: 'Set it up' }).click();
  const app = page.getByRole('region', { name: 'Authenticator app' });
  await app.getByRole('button', { name: 'Set up the app' }).click();
  await app.getByLabel('Current password').fill(inject('password'));
  await app.getByLabel('Current password').press('Enter');
  const code = codesOf(((await app.locator('.secret').textContent()) ?? '').replaceAll(' ', ''));
  await app.getByLabel('The code that the app shows').fill(code());
  await page.unroute('**/users/me');
  await app.getByLabel('The code that the app shows').press('Enter');
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  await page.getByRole('region', { name: 'Where you are logged in' }).waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});

it('who did not log in presses the button of the page, and chooses a new password', async () => {
  const { page, context, wrongs } = await open(browser);
  const name = newName('watchful');
  await register(page, name);
  await page.goto(await linkIn(name, '/account/verify'));
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
  const thief = await fetch(`${inject('url')}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Thief/1' },
    body: JSON.stringify({ username: name, password: inject('password') }),
  });
  const { access_token: token } = (await thief.json()) as { access_token: string };
  const works = async (): Promise<boolean> =>
    (await fetch(`${inject('url')}/users/me`, { headers: { authorization: `Bearer ${token}` } })).ok;

  await page.goto(await linkIn(name, '/account/not-me'));
  const button = page.getByRole('button', { name: 'It was not me' });
  await button.waitFor();
  await expect.poll(() => new URL(page.url()).hash).toBe('');
  expect(await works()).toBe(true);
  await button.click();
  await page.getByRole('heading', { name: 'All devices are logged out' }).waitFor();
  expect(await works()).toBe(false);
  await page.getByRole('button', { name: 'Log out' }).waitFor({ state: 'detached' });
  await page.goto(await linkIn(name, '/account/reset'));
  await page.getByLabel('New password').fill('quiet-lamp-beside-otter');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The password is changed').waitFor();
  expect(wrongs).toEqual([]);
  await context.close();
});
