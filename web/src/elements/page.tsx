import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { siteName } from '../data/site';

/** The title of the tab follows the page; the server has written the first one. */
export function useTitle(title: string): void {
  const site = siteName.value;
  useEffect(() => {
    document.title = title && title !== site ? `${title} – ${site}` : site;
  }, [title, site]);
}

export function Page({
  title,
  children,
  narrow = false,
  heading = true,
}: {
  title: string;
  children: ComponentChildren;
  narrow?: boolean;
  heading?: boolean;
}): JSX.Element {
  useTitle(title);
  return (
    <div class={narrow ? 'page narrow' : 'page'}>
      {heading && <h1 tabIndex={-1}>{title}</h1>}
      {children}
    </div>
  );
}
