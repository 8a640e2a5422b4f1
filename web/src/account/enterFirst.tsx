import type { JSX } from 'preact';
import { address, navigate } from '../app/router';
import type { User } from '../data/client';
import { user } from '../data/session';
import { Page } from '../elements/page';
import { t } from '../i18n';

/** Where to log in, and from there back to this page. */
export function loginAddress(page: 'login' | 'register' = 'login'): string {
  const { pathname, search } = address.peek();
  return `/account/${page}?next=${encodeURIComponent(pathname + search)}`;
}

/** Shows its content after login, and a link to the login before. */
export function SignedIn({
  title,
  children,
}: {
  title: string;
  children: (me: User) => JSX.Element;
}): JSX.Element {
  const me = user.value;
  if (me === undefined) return <p class="loading">{t('loading')}</p>;
  if (me !== null) return children(me);
  return (
    <Page title={title} narrow>
      <p>{t('enter.first')}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => navigate(loginAddress())}>
          {t('enter.login')}
        </button>
        <button type="button" onClick={() => navigate(loginAddress('register'))}>
          {t('enter.register')}
        </button>
      </div>
    </Page>
  );
}
