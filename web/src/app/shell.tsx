/** The frame of every page: search, navigation, waiting notices, the footer. */
import type { ComponentChildren, JSX, RefObject, TargetedFocusEvent, TargetedKeyboardEvent } from 'preact';
import { keptSince, offline, waiting } from '../data/connection';
import { frame } from '../data/frame';
import { factorMissing, logOut, user } from '../data/session';
import { banner, has, logo, pageLinks, registrationOpen, said, siteName } from '../data/site';
import { stepUp } from '../data/stepUp';
import { termsDialog } from '../data/terms';
import { nextTheme, theme } from '../data/theme';
import { unread, unreadMessages } from '../data/unread';
import { Icon, type IconName } from '../elements/icon';
import { announce, Countdown, Toast } from '../elements/notice';
import { type Language, language, languageName, OFFERED, setLanguage, t } from '../i18n';
import { formatRecent } from '../i18n/format';
import { SearchForm } from '../results/searchForm';
import { lazy } from './lazy';
import { address, navigate } from './router';

const PageMenu = lazy(() => import('./pageMenu').then((module) => module.PageMenu));
const TermsDialog = lazy(() => import('../account/terms').then((module) => module.TermsDialog));
const StepUpDialog = lazy(() => import('../account/stepUp').then((module) => module.StepUpDialog));

export function Shell({
  main,
  children,
}: {
  main: RefObject<HTMLElement | null>;
  children: ComponentChildren;
}): JSX.Element {
  const announced = said(banner, language.value);
  return (
    <>
      <a class="skip" href="#main">
        {t('shell.skip')}
      </a>
      <header class="top">
        <div class="bar">
          <a class="brand" href="/">
            {logo ? <img src={logo} alt="" height="28" /> : <Icon name="tag" size={24} />}
            <span>{siteName.value}</span>
          </a>
          {/* The home page has a larger one of its own. */}
          {address.value.pathname !== '/' && <SearchForm />}
          <Navigation />
        </div>
      </header>
      {frame.pages?.some(({ place }) => place === 'menu') && <PageMenu />}
      <ConnectionBanner />
      {announced && <aside class="site-banner">{announced}</aside>}
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <PhoneTabs />
      <Toast />
      {stepUp.value && <StepUpDialog />}
      {termsDialog.value && <TermsDialog />}
    </>
  );
}

type Current = (to: string) => { 'aria-current'?: 'page' };

function currentOf(path: string): Current {
  return (to) => (path === to ? { 'aria-current': 'page' } : {});
}

function Navigation(): JSX.Element {
  const path = address.value.pathname;
  const current = currentOf(path);
  return (
    <nav class="main-nav" aria-label={t('shell.navigation')}>
      {user.value ? (
        <>
          {user.value.role !== 'USER' && (
            <a class="round wide-only" href="/review" aria-label={t('shell.review')} {...current('/review')}>
              <Icon name="shield" />
            </a>
          )}
          <Following current={current} />
          <details class="menu me-menu wide-only" key={path} onFocusOut={closeOutside} onKeyDown={closeByKey}>
            <summary class="round" aria-label={t('shell.me')}>
              <Icon name="user" />
            </summary>
            <div class="menu-items">
              <MeLinks />
            </div>
          </details>
        </>
      ) : (
        user.value === null && (factorMissing.value ? <LogOutButton /> : <EnterButtons path={path} />)
      )}
      {path !== '/post' && (
        <button type="button" class="primary wide-only" onClick={() => navigate('/post')}>
          <Icon name="plus" />
          {t('shell.post')}
        </button>
      )}
    </nav>
  );
}

function closeOutside(event: TargetedFocusEvent<HTMLDetailsElement>): void {
  if (!event.currentTarget.contains(event.relatedTarget as Node | null)) event.currentTarget.open = false;
}

function closeByKey(event: TargetedKeyboardEvent<HTMLDetailsElement>): void {
  if (event.key !== 'Escape' || !event.currentTarget.open) return;
  event.currentTarget.open = false;
  event.currentTarget.querySelector('summary')?.focus();
}

/** What belongs to the account: the menu on wide screens, and the top of the account's page on phones. */
export function MeLinks(): JSX.Element {
  const current = currentOf(address.value.pathname);
  const role = user.value?.role ?? 'USER';
  const links: [string, IconName, string][] = [
    ['/my', 'list', t('shell.my')],
    ['/my/saved', 'heart', t('saved.title')],
    ['/my/deals', 'star', t('deals.title')],
    ['/account', 'user', t('shell.account')],
  ];
  if (has('searches')) links.splice(2, 0, ['/my/searches', 'bookmark', t('searches.title')]);
  if (role !== 'USER') links.push(['/review', 'shield', t('shell.review')]);
  if (role === 'ADMIN') links.push(['/console', 'key', t('shell.admin')]);
  return (
    <ul class="me-links">
      {links.map(([href, icon, text]) => (
        <li key={href}>
          <a href={href} {...current(href)}>
            <Icon name={icon} />
            {text}
          </a>
        </li>
      ))}
      <li>
        <LogOutButton />
      </li>
    </ul>
  );
}

/** The five things that a thumb reaches. */
function PhoneTabs(): JSX.Element {
  const path = address.value.pathname;
  const tab = (href: string, icon: IconName, text: string, here = path === href): JSX.Element => (
    <a href={href} {...(here ? { 'aria-current': 'page' as const } : {})}>
      <span class="tab-icon">
        <Icon name={icon} size={24} />
        {href === '/messages' && <Count of={unreadMessages.value} />}
      </span>
      {text}
    </a>
  );
  const me = /^\/(account|my|review|console)(\/|$)/.test(path);
  return (
    <nav class="phone-tabs" aria-label={t('shell.tabs')}>
      {tab('/', 'house', t('shell.home'))}
      {tab('/search', 'search', t('shell.search'), path === '/search' || path.startsWith('/c/'))}
      {tab('/post', 'plus', t('shell.postShort'))}
      {has('conversations') && tab('/messages', 'talk', t('shell.messages'), path.startsWith('/messages'))}
      {tab('/account', 'user', t('shell.me'), me)}
    </nav>
  );
}

/** What is followed: what is saved, the messages, and the bell. */
function Following({ current }: { current: Current }): JSX.Element {
  return (
    <>
      <a class="round home-or-wide" href="/my/saved" aria-label={t('saved.title')} {...current('/my/saved')}>
        <Icon name="heart" />
      </a>
      {has('conversations') && (
        <a
          class="round wide-only"
          href="/messages"
          aria-label={counted('shell.unreadMessages', 'shell.messages', unreadMessages.value)}
          {...current('/messages')}
        >
          <Icon name="talk" />
          <Count of={unreadMessages.value} />
        </a>
      )}
      <a
        class="round"
        href="/my/notifications"
        aria-label={counted('shell.unread', 'notifications.title', unread.value)}
        {...current('/my/notifications')}
      >
        <Icon name="bell" />
        <Count of={unread.value} />
      </a>
    </>
  );
}

const counted = (
  some: 'shell.unread' | 'shell.unreadMessages',
  none: 'notifications.title' | 'shell.messages',
  count: number,
): string => (count > 0 ? t(some, { count }) : t(none));

/** Beside words for screen readers. */
function Count({ of: count }: { of: number }): JSX.Element | null {
  if (count === 0) return null;
  return (
    <span class="unread" aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  );
}

function EnterButtons({ path }: { path: string }): JSX.Element | null {
  const to = (page: string): void => {
    const back = path + address.value.search;
    navigate(back !== '/' ? `${page}?next=${encodeURIComponent(back)}` : page);
  };
  // Pages that need an account have these buttons themselves.
  if (/^\/(account|post|my|messages|console|review)(\/|$)|\/edit$/.test(path)) return null;
  return (
    <>
      <button type="button" class="plain" onClick={() => to('/account/login')}>
        {t('enter.login')}
      </button>
      {registrationOpen && (
        <button type="button" class="wide-only" onClick={() => to('/account/register')}>
          {t('enter.register')}
        </button>
      )}
    </>
  );
}

function LogOutButton(): JSX.Element {
  return (
    <button
      type="button"
      onClick={() => {
        void logOut().catch(() => undefined); // Here it is over in any case.
        navigate('/');
        announce('enter.loggedOut');
      }}
    >
      <Icon name="leave" />
      {t('enter.logout')}
    </button>
  );
}

function ConnectionBanner(): JSX.Element {
  return (
    <div class="banner" aria-live="polite">
      {keptSince.value !== null ? (
        <p role="alert">
          {t(offline.value ? 'waiting.offlineKept' : 'waiting.kept', { time: formatRecent(keptSince.value) })}
        </p>
      ) : waiting.value ? (
        <Countdown waiting={waiting.value} />
      ) : (
        offline.value && <p role="alert">{t('waiting.offline')}</p>
      )}
    </div>
  );
}

function Footer(): JSX.Element {
  return (
    <footer class="bottom">
      <div class="bottom-inner">
        <nav aria-label={t('shell.about')}>
          <ul>
            {pageLinks(language.value).map(({ href, title }) => (
              <li key={href}>
                <a href={href} data-leave>
                  {title}
                </a>
              </li>
            ))}
            <li>
              <a href="/docs" data-leave>
                {t('shell.interface')}
              </a>
            </li>
          </ul>
        </nav>
        <button type="button" class="plain" onClick={nextTheme}>
          <Icon name="eye" />
          {t('theme.label')}: {t(`theme.${theme.value}`)}
        </button>
        {OFFERED.length > 1 && (
          <label>
            <Icon name="globe" />
            <span class="unseen">{t('shell.language')}</span>
            <select
              value={language.value}
              onChange={(event) => setLanguage(event.currentTarget.value as Language)}
            >
              {OFFERED.map((tag) => (
                <option key={tag} value={tag} lang={tag} selected={tag === language.value}>
                  {languageName(tag)}
                </option>
              ))}
            </select>
          </label>
        )}
        <p class="faint">
          {siteName.value} ·{' '}
          <a href="https://www.geonames.org/" rel="noreferrer">
            {t('shell.places')}
          </a>
        </p>
      </div>
    </footer>
  );
}
