import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigate } from '../app/router';
import { formatNumber } from '../i18n/format';

export interface Tab {
  href: string;
  text: string;
  count?: number | undefined;
  current: boolean;
}

/** Lists of one page, each with its own address. The current one is swept in where there is no room for all. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }): JSX.Element {
  const row = useRef<HTMLElement>(null);
  const current = tabs.find((tab) => tab.current)?.href;
  useLayoutEffect(() => {
    const shown = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (!row.current || !shown) return;
    row.current.scrollLeft = shown.offsetLeft - (row.current.clientWidth - shown.offsetWidth) / 2;
  }, [current, tabs.length]);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(({ href, text, count, current }) => (
        <a
          key={href}
          href={href}
          {...(current ? { 'aria-current': 'page' as const } : {})}
          onClick={(event) => {
            event.preventDefault();
            navigate(href, { keep: true });
          }}
        >
          {text}
          {count !== undefined && <span class="count"> {formatNumber(count)}</span>}
        </a>
      ))}
    </nav>
  );
}
