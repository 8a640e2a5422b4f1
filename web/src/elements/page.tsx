import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { siteName } from '../data/site';
import { unreadMessages } from '../data/unread';

/** The title of the tab follows the page, after the number of unread messages; the server has written the first one. */
export function useTitle(title: string): void {
  const site = siteName.value;
  const count = unreadMessages.value;
  useEffect(() => {
    const text = title && title !== site ? `${title} – ${site}` : site;
    document.title = count > 0 ? `(${count}) ${text}` : text;
  }, [title, site, count]);
}

export function Page({
  title,
  children,
  narrow = false,
  heading = true,
}: {
  title: string;
  children: ComponentChildren;
  /** `form` is the width of a few fields. */
  narrow?: boolean | 'form';
  heading?: boolean;
}): JSX.Element {
  useTitle(title);
  return (
    <div class={narrow ? `page narrow ${narrow === 'form' ? 'short' : ''}` : 'page'}>
      {heading && <h1 tabIndex={-1}>{title}</h1>}
      {children}
    </div>
  );
}
