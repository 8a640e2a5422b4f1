/** One page as different people have it: schemes, widths, zoom and languages, without loading it anew. */
import type { Page } from 'playwright-core';
import consoleWords from '../../src/i18n/console/en.json';
import words from '../../src/i18n/en.json';
import inbox from '../../src/i18n/inbox/en.json';
import map from '../../src/i18n/map/en.json';
import security from '../../src/i18n/security/en.json';
import selling from '../../src/i18n/selling/en.json';
import { violations } from './axe';

interface Look {
  name: string;
  scheme: 'light' | 'dark';
  width: number;
  height: number;
  language: 'en' | 'de' | 'ru';
}

// A desktop at 200 % is one of half its width and height (WCAG 2.2, 1.4.10).
const LOOKS: Look[] = [
  { name: 'light at 200 %', scheme: 'light', width: 640, height: 450, language: 'de' },
  { name: 'dark at 320 px', scheme: 'dark', width: 320, height: 640, language: 'ru' },
  { name: 'light', scheme: 'light', width: 1280, height: 900, language: 'en' },
  { name: 'dark', scheme: 'dark', width: 1280, height: 900, language: 'de' },
  { name: 'light at 320 px', scheme: 'light', width: 320, height: 640, language: 'de' },
  { name: 'dark at 200 %', scheme: 'dark', width: 640, height: 450, language: 'ru' },
];
// The first two have each scheme, the narrowest page, the zoom, and the languages with the longest words.
const SHORT = 2;

const PREFIXES = [words, consoleWords, inbox, map, security, selling].flatMap((one) =>
  Object.keys(one).map((key) => key.split('.')[0]),
);

/** What a person reads that is a key or a place for a value, where a text should be. */
async function unwritten(page: Page): Promise<string[]> {
  const read = await page.evaluate(() => {
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    // Names of events and settings are shown as they are.
    while (walker.nextNode())
      if (!walker.currentNode.parentElement?.closest('code, script, .types, textarea'))
        texts.push(walker.currentNode.nodeValue ?? '');
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]'))
      for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
        texts.push(element.getAttribute(name) ?? '');
    return texts;
  });
  const isKey = (text: string): boolean =>
    /^[a-zA-Z]+(\.[\w-]+)+$/.test(text) && PREFIXES.includes(text.split('.')[0] ?? '');
  return read.filter((text) => text.split(/\s/).some(isKey) || /\{[a-z]\w*\}/i.test(text));
}

/** As the footer does it; below a dialog it cannot be reached. A page without the app has one language. */
async function speak(page: Page, language: string): Promise<void> {
  const spoken = page.locator(`html[lang="${language}"]`);
  if ((await page.locator('script[type="module"]').count()) === 0 || (await spoken.count()) > 0) return;
  // The first view has none yet.
  await page.locator('footer.bottom select').waitFor({ state: 'attached' });
  await page.evaluate((tag) => {
    const select = document.querySelector<HTMLSelectElement>('footer.bottom select');
    if (!select) return;
    select.value = tag;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  }, language);
  await spoken.waitFor({ state: 'attached' });
}

type Screen = 'narrow' | 'wide';
const screenOf = ({ width }: Look): Screen => (width <= 640 ? 'narrow' : 'wide');

export interface Looked {
  /** By page and look, what is wrong there. */
  found: Record<string, string[]>;
  /** Looks at what the page is now; at what only small or only large screens have, on those. */
  now: (name: string, only?: Screen) => Promise<void>;
  /** The same of an address, once the element is there. */
  at: (path: string, there: string) => Promise<void>;
}

/** The page in that look, and what is wrong with it. */
async function wrongIn(page: Page, { width, height, scheme, language }: Look): Promise<string[]> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height });
  await speak(page, language);
  const wrong = await violations(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  if (wide > width) wrong.push(`is ${wide} px wide`);
  return [...wrong, ...(await unwritten(page)).map((text) => `says “${text}”`)];
}

export function looksOf(page: Page): Looked {
  const found: Record<string, string[]> = {};
  const looks = process.env.E2E_SHORT ? LOOKS.slice(0, SHORT) : LOOKS;
  const now: Looked['now'] = async (name, only) => {
    const before = page.viewportSize();
    for (const look of looks.filter((one) => !only || only === screenOf(one))) {
      const wrong = await wrongIn(page, look);
      if (wrong.length > 0) found[`${name}, ${look.name}`] = wrong;
    }
    if (before) await page.setViewportSize(before);
    await speak(page, 'en');
  };
  return {
    found,
    now,
    at: async (path, there) => {
      await page.goto(path);
      await page.locator(there).first().waitFor();
      await now(path);
    },
  };
}
