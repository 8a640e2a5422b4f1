/** The frame of every page: search, navigation, waiting notices, the language. */
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { offline, waiting } from '../data/connection';
import { logOut, user } from '../data/session';
import { siteName } from '../data/site';
import { unread } from '../data/unread';
import { Icon } from '../elements/icon';
import { announce, Countdown, Toast } from '../elements/notice';
import { LANGUAGES, type Language, language, setLanguage, t } from '../i18n';
import { SearchForm } from '../results/searchForm';
import { address, navigate } from './router';

export function Shell({
  main,
  children,
}: {
  main: RefObject<HTMLElement | null>;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <a class="skip" href="#main">
        {t('shell.skip')}
      </a>
      <header class="top">
        <div class="bar">
          <a class="brand" href="/">
            <Icon name="tag" />
            {siteName.value}
          </a>
          <SearchForm />
          <Navigation />
        </div>
      </header>
      <ConnectionBanner />
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <Toast />
    </>
  );
}

function Navigation(): JSX.Element {
  const path = address.value.pathname;
  const current = (to: string): { 'aria-current'?: 'page' } =>
    path === to ? { 'aria-current': 'page' } : {};
  return (
    <nav class="main-nav" aria-label={t('shell.navigation')}>
      {user.value ? (
        <span class="own">
          {user.value.role !== 'USER' && (
            <a href="/review" {...current('/review')}>
              {t('shell.review')}
            </a>
          )}
          {user.value.role === 'ADMIN' && (
            <a href="/admin" {...current('/admin')}>
              {t('shell.admin')}
            </a>
          )}
          <a href="/my" {...current('/my')}>
            {t('shell.my')}
          </a>
          <a href="/account" {...current('/account')}>
            {t('shell.account')}
          </a>
          <LogOutButton />
        </span>
      ) : (
        user.value === null && <EnterButtons path={path} />
      )}
      {user.value && <Following current={current} />}
      {path !== '/post' && (
        <button type="button" class="primary" onClick={() => navigate('/post')}>
          {t('shell.post')}
        </button>
      )}
    </nav>
  );
}

/** What has to stay within reach on a phone: what is saved, and the bell. */
function Following({ current }: { current: (to: string) => { 'aria-current'?: 'page' } }): JSX.Element {
  const count = unread.value;
  return (
    <>
      <a class="round" href="/my/saved" aria-label={t('saved.title')} {...current('/my/saved')}>
        <Icon name="heart" />
      </a>
      <a
        class="round"
        href="/my/notifications"
        aria-label={count > 0 ? t('shell.unread', { count }) : t('notifications.title')}
        {...current('/my/notifications')}
      >
        <Icon name="bell" />
        {count > 0 && (
          <span class="unread" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </a>
    </>
  );
}

function EnterButtons({ path }: { path: string }): JSX.Element | null {
  const to = (page: string): void => {
    const back = path + address.value.search;
    navigate(back !== '/' ? `${page}?next=${encodeURIComponent(back)}` : page);
  };
  // Pages that need an account have these buttons themselves.
  if (/^\/(account|post|my|admin|review)(\/|$)|\/edit$/.test(path)) return null;
  return (
    <>
      <button type="button" onClick={() => to('/account/login')}>
        {t('enter.login')}
      </button>
      <button type="button" onClick={() => to('/account/register')}>
        {t('enter.register')}
      </button>
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
      {t('enter.logout')}
    </button>
  );
}

function ConnectionBanner(): JSX.Element {
  return (
    <div class="banner" aria-live="polite">
      {waiting.value ? (
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
      <label>
        <span>{t('shell.language')}</span>{' '}
        <select
          value={language.value}
          onChange={(event) => setLanguage(event.currentTarget.value as Language)}
        >
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag} selected={tag === language.value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <a href="/docs" data-leave>
        {t('shell.interface')}
      </a>
    </footer>
  );
}
