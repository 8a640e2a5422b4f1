import type { JSX } from 'preact';
import { navigate } from '../app/router';

export interface Tab {
  href: string;
  text: string;
  current: boolean;
}

/** Lists of one page, each with its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, text, current }) => (
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
        </a>
      ))}
    </nav>
  );
}
