import { render } from 'preact';
import { idIn } from '../data/adAddress';
import { startConnection, waiting } from '../data/connection';
import { startFavorites } from '../data/favorites';
import { startOutbox } from '../data/kept';
import { categoriesQuery, detailsQuery, newestQuery, resultsQuery, sellerQuery } from '../data/queries';
import { queryClient } from '../data/query';
import { onOtherPerson, startSession } from '../data/session';
import { loadSite } from '../data/site';
import { applyTheme } from '../data/theme';
import { startUnread } from '../data/unread';
import { dropSeen, startWorker } from '../data/worker';
import { NEWEST } from '../home/page';
import { readSearch, toParameters } from '../results/address';
import { App } from './app';
import { startRouter } from './router';

/** Everything begins, and the page is shown. */
export async function start(): Promise<void> {
  applyTheme();
  startConnection(
    () => {
      void queryClient.refetchQueries({ predicate: (query) => query.state.fetchFailureCount > 0 });
    },
    () => {
      void queryClient.refetchQueries({ type: 'active' }, { cancelRefetch: false });
    },
  );
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success') waiting.value = null;
  });
  startFavorites();
  startUnread();
  startOutbox();
  onOtherPerson(dropSeen);
  startSession();
  startWorker();
  loadSite().catch(() => undefined); // What is usual is shown instead.

  const root = document.getElementById('app');
  if (!root) return;
  if (root.hasChildNodes()) await firstView();
  // What was typed meanwhile is not lost, nor where the keyboard was.
  const written = root.querySelector('input');
  // The view has the words of the address already.
  const typed = written && written.value !== written.defaultValue ? written.value : null;
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const link = focused?.getAttribute('href');
  startRouter();
  root.replaceChildren();
  render(<App />, root);
  if (link) root.querySelector<HTMLElement>(`a[href="${CSS.escape(link)}"]`)?.focus({ preventScroll: true });
  const isTyping = typed !== null || (focused && !link);
  const box = isTyping ? root.querySelector<HTMLInputElement>('.search input') : null;
  if (!box) return;
  if (typed !== null) {
    box.value = typed;
    box.dispatchEvent(new Event('input', { bubbles: true }));
  }
  if (!link) box.focus();
}

/** In milliseconds: after that a page shows that it is loading. */
const LONGEST_WAIT = 3000;

/** The view that the server has written stays until the page has what it shows. */
async function firstView(): Promise<void> {
  const url = new URL(location.href);
  const wanted: Promise<unknown>[] = [queryClient.prefetchQuery(categoriesQuery())];
  const ad = idIn(url.pathname.split('/')[2]);
  if (url.pathname === '/') wanted.push(queryClient.prefetchQuery(newestQuery({ limit: NEWEST })));
  else if (url.pathname.startsWith('/seller/')) {
    const id = Number(url.pathname.split('/')[2]);
    wanted.push(import('../ad/sellerPage'), queryClient.prefetchQuery(sellerQuery(id)));
    wanted.push(queryClient.prefetchInfiniteQuery(resultsQuery({ author: id })));
  } else if (url.pathname.startsWith('/a/')) wanted.push(queryClient.prefetchQuery(detailsQuery(ad)));
  else wanted.push(queryClient.prefetchInfiniteQuery(resultsQuery(toParameters(readSearch(url)))));
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT));
  await Promise.race([Promise.all(wanted), late]);
}
