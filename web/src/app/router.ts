/** The address is the state: one signal holds it, and every change of it goes through here. */
import { signal } from '@preact/signals';

interface Entry {
  scroll?: number;
}

/** The props of every page: the parts of the path that its pattern names. */
export interface PageProps {
  parameters: Record<string, string>;
}

export const address = signal(new URL(location.href));

/** The scroll position for a page once its content is there; null keeps the present one. */
export const scrollTarget = signal<number | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;

function rememberScroll(): void {
  clearTimeout(timer);
  timer = undefined;
  const entry: Entry = { ...(history.state as Entry | null), scroll: Math.round(scrollY) };
  history.replaceState(entry, '');
}

export interface NavigateOptions {
  replace?: boolean;
  /** The page stays where it is, and so does the focus. */
  keep?: boolean;
}

export function navigate(to: string, { replace = false, keep = false }: NavigateOptions = {}): void {
  const url = new URL(to, address.peek());
  if (url.origin !== location.origin) return;
  rememberScroll();
  if (replace || url.href === location.href) history.replaceState(keep ? history.state : null, '', url);
  else history.pushState(null, '', url);
  if (!keep) scrollTarget.value = 0;
  if (url.pathname !== address.peek().pathname) forgetHead();
  address.value = url;
}

/** Removes the metadata for search engines and link previews, which belong to the loaded page only. */
function forgetHead(): void {
  const metadata =
    'link[rel="canonical"], meta[name="description"], meta[property^="og:"], script[type="application/ld+json"]';
  for (const element of document.head.querySelectorAll(metadata)) element.remove();
}

function isPlainClick(event: MouseEvent): boolean {
  return (
    event.button === 0 &&
    !event.defaultPrevented &&
    !event.metaKey &&
    !event.ctrlKey &&
    !event.shiftKey &&
    !event.altKey
  );
}

/** Links are plain `<a href>`; those within this site are followed without loading the page again. */
function followLink(event: MouseEvent): void {
  if (!isPlainClick(event) || !(event.target instanceof Element)) return;
  const link = event.target.closest('a');
  if (!link?.href || link.target || link.hasAttribute('download') || link.dataset.leave !== undefined) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || (url.hash && url.pathname === location.pathname)) return;
  event.preventDefault();
  navigate(url.href);
}

export function startRouter(): void {
  history.scrollRestoration = 'manual';
  scrollTarget.value = (history.state as Entry | null)?.scroll ?? null;
  addEventListener('popstate', () => {
    clearTimeout(timer);
    timer = undefined;
    scrollTarget.value = (history.state as Entry | null)?.scroll ?? 0;
    address.value = new URL(location.href);
  });
  // Browsers limit how often an entry may be changed, so it is changed when scrolling has come to rest.
  addEventListener(
    'scroll',
    () => {
      clearTimeout(timer);
      timer = setTimeout(rememberScroll, 200);
    },
    { passive: true },
  );
  addEventListener('pagehide', rememberScroll);
  document.addEventListener('click', followLink);
}

/** Scrolls to `scrollTarget` as soon as the page is long enough, and gives up after two seconds. */
export function applyScroll(): void {
  const target = scrollTarget.peek();
  if (target === null) return;
  scrollTarget.value = null;
  const until = performance.now() + 2000;
  const step = (): void => {
    if (scrollTarget.peek() !== null) return;
    const reachable = document.documentElement.scrollHeight - innerHeight >= target;
    if (reachable || performance.now() > until) scrollTo({ top: target, behavior: 'instant' });
    else requestAnimationFrame(step);
  };
  step();
}

/** `matchPath('/a/{id}', '/a/7')` is `{id: '7'}`; null where the path is another. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.replace(/(.)\/$/, '$1').split('/');
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) {
      if (part !== value) return null;
    } else {
      if (!value) return null;
      try {
        found[name] = decodeURIComponent(value);
      } catch {
        return null;
      }
    }
  }
  return found;
}
