/** Signing in with a real OpenID provider: `oidc-provider`, which `make test-openid` installs. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violations } from './support/axe';
import { DESKTOP, launch, open } from './support/browser';
import { type Served, served } from './support/fresh';
import { freePort, PASSWORD } from './support/service';

type Provider = new (issuer: string, options: object) => { callback: () => RequestListener };

// A name that the compiler does not look up: the package may be missing.
const PACKAGE = 'oidc-provider';
const found = (await import(PACKAGE).catch(() => null)) as { default: Provider } | null;
if (found === null) console.warn('No walk with a real OpenID provider: make test-openid installs one.');

const CLIENT = { clientId: 'adsvc', clientSecret: 'a-secret-of-the-browser-tests' };

let browser: Browser;
let service: Served | undefined;
let server: Server | undefined;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  await service?.end();
  server?.close();
});

/** It takes any name and password; whoever signs in has that name as a verified address. */
async function provider(OpenId: Provider, redirect: string): Promise<string> {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const made = new OpenId(issuer, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [redirect] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: sub, email_verified: true }),
    }),
    cookies: { keys: ['a-key-of-the-browser-tests'] },
  });
  server = createServer(made.callback());
  server.listen(Number(new URL(issuer).port), '127.0.0.1');
  await once(server, 'listening');
  return issuer;
}

/** Its pages for development: a login, and a consent. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill('any');
  await page.locator('button[type="submit"]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

it.skipIf(found === null)('a person signs in with a real provider', async () => {
  await service?.end();
  server?.close();
  service = await served({ ADSVC_DEVELOPMENT: 'true' });
  const { link } = service;
  const { origin } = new URL(link);
  const sent = async (method: string, path: string, body: object, token = ''): Promise<Response> =>
    fetch(origin + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const owner = { username: 'owner@example.com', password: PASSWORD };
  await sent('POST', '/setup', { ...owner, token: new URL(link).searchParams.get('token') });
  const { page, context } = await open(browser, DESKTOP);
  await page.goto(`${origin}/account/login?next=/console/providers`);
  await page.getByLabel('User name').fill(owner.username);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  const issuer = await provider(
    (found as { default: Provider }).default,
    `${origin}/login/oidc/test/callback`,
  );
  await page.getByRole('button', { name: 'New provider' }).click();
  await page.getByLabel('Id, for the address').fill('test');
  await page.getByLabel('Name, for the button').fill('Test ID');
  await page.getByLabel('Issuer').fill(issuer);
  await page.getByLabel('Client id').fill(CLIENT.clientId);
  await page.getByLabel('Client secret').fill(CLIENT.clientSecret);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`${origin}/login/oidc/test/callback`).waitFor();

  const visitor = await open(browser, DESKTOP);
  await visitor.page.goto(`${origin}/account/login?next=/account/security`);
  await visitor.page.getByRole('link', { name: 'Continue with Test ID' }).waitFor();
  expect(await violations(visitor.page)).toEqual([]);
  await visitor.page.getByRole('link', { name: 'Continue with Test ID' }).click();
  await signIn(visitor.page, 'anna@example.com');
  const identities = visitor.page.getByRole('region', { name: 'Sign in with others' });
  await identities.getByText('Test ID').waitFor();
  await identities.getByText('Your account has no password.').waitFor();
  expect(await violations(visitor.page)).toEqual([]);
  await identities.getByRole('button', { name: 'Remove: Test ID' }).click();
  await identities.getByRole('button', { name: 'Yes, remove it' }).click();
  await identities.getByText('It is the last way to sign in').waitFor();
  await visitor.context.close();

  // An account that has the address is linked by its password.
  const known = { username: 'berta@example.com', password: PASSWORD };
  await sent('POST', '/register', known);
  const token = await verificationToken(origin, known.username);
  await sent('POST', '/mail/verify', { token });
  const other = await open(browser, DESKTOP);
  await other.page.goto(`${origin}/account/login`);
  await other.page.getByRole('link', { name: 'Continue with Test ID' }).click();
  await signIn(other.page, known.username);
  await other.page.getByText('There is an account with your mail address already.').waitFor();
  expect(await violations(other.page)).toEqual([]);
  await other.page.getByLabel('Password').fill(PASSWORD);
  await other.page.getByRole('button', { name: 'Use my account' }).click();
  await other.page.getByText('You can sign in with the other service from now on.').waitFor();
  await other.context.close();

  // The owner adds a person of the provider whose address is another one.
  await page.goto(`${origin}/account/security`);
  const own = page.getByRole('region', { name: 'Sign in with others' });
  await own.getByRole('link', { name: 'Add Test ID' }).click();
  await signIn(page, 'clara@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add it' }).click();
  await own.getByRole('button', { name: 'Remove: Test ID' }).click();
  await own.getByRole('button', { name: 'Yes, remove it' }).click();
  await own.getByText('You sign in with no other service yet.').waitFor();
  await context.close();
});

/** As development mode shows the mail. */
async function verificationToken(origin: string, address: string): Promise<string> {
  let token = '';
  await expect
    .poll(async () => {
      const { results } = (await (await fetch(`${origin}/dev/mails`)).json()) as {
        results: { to: string; text: string }[];
      };
      const text = results.find(({ to }) => to === address)?.text ?? '';
      token = /\/account\/verify#token=([\w-]+)/.exec(text)?.[1] ?? '';
      return token;
    })
    .not.toBe('');
  return token;
}
