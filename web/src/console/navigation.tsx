/** The way through the console, beside its parts and beside the cases. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type MessageKey, t } from '../i18n';

/** The parts by their addresses: first the site, then what it runs on. */
export const TITLES = [
  ['', 'console.overview'],
  ['ads', 'console.ads'],
  ['accounts', 'accounts.title'],
  ['categories', 'admin.categories'],
  ['site', 'console.site'],
  ['providers', 'console.providers'],
  ['operations', 'console.operations'],
  ['mails', 'console.mails'],
  ['pages', 'console.pages'],
  ['audit', 'console.audit'],
  ['outbox', 'console.outbox'],
  ['jobs', 'console.jobs'],
  ['keys', 'console.keys'],
  ['webhooks', 'console.webhooks'],
  ['settings', 'console.settings'],
] as const satisfies readonly (readonly [string, MessageKey])[];

export type PartName = (typeof TITLES)[number][0];

export function ConsoleNavigation({ current }: { current: string }): JSX.Element {
  const bar = useRef<HTMLElement>(null);
  // On a phone the bar is wider than the page.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  const links: [string, string, boolean][] = TITLES.map(([name, key]) => [
    name === '' ? '/console' : `/console/${name}`,
    t(key),
    name === current,
  ]);
  links.splice(1, 0, ['/review', t('console.reported'), current === 'review']);
  return (
    <nav class="console-nav" aria-label={t('console.sections')} ref={bar}>
      {links.map(([href, text, here]) => (
        <a key={href} href={href} {...(here ? { 'aria-current': 'page' as const } : {})}>
          {text}
        </a>
      ))}
    </nav>
  );
}
