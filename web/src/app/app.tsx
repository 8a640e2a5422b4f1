import { effect } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { AdPage } from '../ad/page';
import { HomePage } from '../home/page';
import { language } from '../i18n';
import { ResultsPage } from '../results/page';
import { Boundary } from './boundary';
import { lazy } from './lazy';
import { NotFoundPage } from './notFound';
import { address, applyScroll, matchPath, type PageProps, scrollTarget } from './router';
import { Shell } from './shell';

const ConsolePage = lazy(() => import('../console/page').then((module) => module.ConsolePage));
const InboxPage = lazy(() => import('../messages/page').then((module) => module.InboxPage));

const ROUTES: [string, ComponentType<PageProps>][] = [
  ['/', HomePage],
  ['/search', ResultsPage],
  ['/c/{slug}', ResultsPage],
  ['/a/{id}', AdPage],
  ['/seller/{id}', lazy(() => import('../ad/sellerPage').then((module) => module.SellerPage))],
  ['/a/{id}/edit', lazy(() => import('../post/edit').then((module) => module.EditPage))],
  ['/post', lazy(() => import('../post/page').then((module) => module.PostPage))],
  ['/my', lazy(() => import('../my/page').then((module) => module.MyAdsPage))],
  ['/my/saved', lazy(() => import('../my/saved').then((module) => module.SavedPage))],
  ['/my/deals', lazy(() => import('../my/deals').then((module) => module.DealsPage))],
  ['/my/imports', lazy(() => import('../my/imports').then((module) => module.ImportsPage))],
  ['/my/searches', lazy(() => import('../my/searches').then((module) => module.SearchesPage))],
  ['/my/searches/{id}', lazy(() => import('../my/searches').then((module) => module.OpenSearch))],
  ['/messages', InboxPage],
  ['/messages/{id}', InboxPage],
  ['/unsubscribe', lazy(() => import('../account/unsubscribe').then((module) => module.UnsubscribePage))],
  ['/my/notifications', lazy(() => import('../my/notifications').then((module) => module.NotificationsPage))],
  ['/account', lazy(() => import('../account/page').then((module) => module.AccountPage))],
  ['/account/security', lazy(() => import('../account/security').then((module) => module.SecurityPage))],
  ['/account/webhooks', lazy(() => import('../account/webhooks').then((module) => module.WebhooksPage))],
  ['/account/not-me', lazy(() => import('../account/recovery').then((module) => module.NotMePage))],
  ['/account/login', lazy(() => import('../account/enter').then((module) => module.LoginPage))],
  ['/setup', lazy(() => import('../setup/page').then((module) => module.SetUpPage))],
  ['/account/register', lazy(() => import('../account/enter').then((module) => module.RegisterPage))],
  ['/account/forgot', lazy(() => import('../account/recovery').then((module) => module.ForgotPage))],
  ['/account/reset', lazy(() => import('../account/recovery').then((module) => module.ResetPage))],
  ['/account/verify', lazy(() => import('../account/recovery').then((module) => module.VerifyPage))],
  ['/account/provider', lazy(() => import('../account/recovery').then((module) => module.ProviderPage))],
  ['/account/decisions', lazy(() => import('../account/decisions').then((module) => module.DecisionsPage))],
  ['/account/appeal', lazy(() => import('../account/decisions').then((module) => module.AppealPage))],
  [
    '/account/preferences',
    lazy(() => import('../account/preferences').then((module) => module.PreferencesPage)),
  ],
  ['/review', lazy(() => import('../review/page').then((module) => module.ReviewPage))],
  ['/review/{id}', lazy(() => import('../review/case').then((module) => module.CasePage))],
  ['/console', ConsolePage],
  ['/console/{part}', ConsolePage],
  ['/console/{part}/{id}', ConsolePage],
];

function route(path: string): { Page: ComponentType<PageProps>; parameters: Record<string, string> } {
  for (const [pattern, Page] of ROUTES) {
    const parameters = matchPath(pattern, path);
    if (parameters) return { Page, parameters };
  }
  return { Page: NotFoundPage, parameters: {} };
}

effect(() => {
  document.documentElement.lang = language.value;
});

export function App(): JSX.Element {
  const path = address.value.pathname;
  const { Page, parameters } = route(path);
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useLayoutEffect(() => {
    applyScroll();
  }, [address.value, scrollTarget.value]);
  useEffect(() => {
    const same = kept(before.current) === kept(path);
    const searching = isResults(before.current) && isResults(path);
    before.current = path;
    if (same && !searching) return;
    // The focus moves to a new page, so that screen readers announce it; but not during typing in the search box.
    if (!searching && document.activeElement?.getAttribute('type') !== 'search')
      main.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <Shell main={main}>
      <Boundary key={kept(path)}>
        <Page parameters={parameters} />
      </Boundary>
    </Shell>
  );
}

/** Pages with the same key are one page at several addresses. */
function kept(path: string): string {
  if (isResults(path)) return 'results';
  const ad = /^\/a\/(\d+)[^/]*$/.exec(path)?.[1];
  if (ad) return `ad ${ad}`;
  return path.startsWith('/messages') ? 'messages' : path;
}

function isResults(path: string): boolean {
  return path === '/search' || path.startsWith('/c/');
}
