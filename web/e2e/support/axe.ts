import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What of the page, or of what the selector finds, breaks a rule that axe knows once nothing moves any more. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) =>
          playState !== 'running' || effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY,
      ),
  );
  // By the debugger, as the policy of the page lets no other script in.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await source);
  const found = await run(page, within);
  const size = page.viewportSize();
  if (!size || !found.some((one) => one.startsWith('target-size'))) return found;
  // What a bar covers in part can be scrolled from below it: it counts only if it is too small on a page that does not scroll.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...size, height: Math.max(height, size.height) });
  const whole = await run(page, within);
  await page.setViewportSize(size);
  return whole;
}

async function run(page: Page, within: string | undefined): Promise<string[]> {
  const results = await page.evaluate(
    ([values, selector]) =>
      (
        window as unknown as {
          axe: { run: (context: Document | string, options: object) => Promise<AxeResults> };
        }
      ).axe.run(selector ?? document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] }),
    [RULES, within] as const,
  );
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
}
