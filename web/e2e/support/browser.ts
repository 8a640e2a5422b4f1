/** Debian's Chromium, and pages that tell what went wrong in them. */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { inject, it } from 'vitest';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };

/** Variants that a test is run with: by `E2E_SHORT` the first alone. */
export const few = <const Variant>(all: readonly Variant[]): readonly Variant[] =>
  process.env.E2E_SHORT ? all.slice(0, 1) : all;
/** A long test whose subject has a shorter one too: `E2E_SHORT` leaves it out. */
export const longTest = it.skipIf(Boolean(process.env.E2E_SHORT));
export const SIZES = few([
  ['phone', PHONE],
  ['desktop', DESKTOP],
]);

export async function launch(): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) throw new Error(`There is no ${EXECUTABLE}: apt-get install chromium`);
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Maps are drawn by the processor.
      '--enable-unsafe-swiftshader',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** All that the browser keeps of the service: every entry of its storages, as text. */
export async function kept(page: Page): Promise<string[]> {
  const entries = await page.evaluate(async () => {
    const found = [...Object.entries(localStorage), ...Object.entries(sessionStorage)].map(String);
    for (const name of await caches.keys()) found.push(`cache ${name}`);
    for (const { name = '' } of await indexedDB.databases()) {
      const done = <Result>(request: IDBRequest<Result>): Promise<Result> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const all = database.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([done(all.getAllKeys()), done(all.getAll())]);
        keys.forEach((key, index) => {
          found.push(`${String(key)} ${JSON.stringify(values[index])}`);
        });
      }
      database.close();
    }
    return found;
  });
  const cookies = await page.context().cookies();
  return [...entries, ...cookies.map(({ name, value }) => `cookie ${name}=${value}`)];
}

/** What a page must not do: break its policy, throw, or ask another origin. */
export interface Watched {
  page: Page;
  context: BrowserContext;
  wrongs: string[];
}

export async function open(browser: Browser, options: BrowserContextOptions = DESKTOP): Promise<Watched> {
  const url = inject('url');
  // What passes through a service worker cannot be held or refused by a test.
  const usual = { baseURL: url, locale: 'en-GB', serviceWorkers: 'block' } as const;
  const context = await browser.newContext({ ...usual, ...options });
  const wrongs: string[] = [];
  await context.exposeBinding('__wrong', (_source, what: string) => {
    wrongs.push(what);
  });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { __wrong } = window as unknown as { __wrong: (what: string) => void };
      __wrong(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => wrongs.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    wrongs.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // Refusals and a lost connection are logged by the browser itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      wrongs.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const asked = new URL(request.url());
    const own = asked.origin === url || asked.protocol === 'blob:' || asked.protocol === 'data:';
    if (!own) wrongs.push(`request: ${request.url()}`);
  });
  page.setDefaultTimeout(20_000);
  return { page, context, wrongs };
}
