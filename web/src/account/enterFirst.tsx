import type { JSX } from 'preact';
import { address, navigate } from '../app/router';
import type { User } from '../data/client';
import { factorMissing, knownUser, sessionEnded, user } from '../data/session';
import { registrationOpen } from '../data/site';
import { Empty } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';

/** Where to log in, and from there back to this page. */
export function loginAddress(page: 'login' | 'register' = 'login'): string {
  const { pathname, search } = address.peek();
  return `/account/${page}?next=${encodeURIComponent(pathname + search)}`;
}

/** Does what needs an account, or leads to the login. */
export async function withAccount(work: () => unknown): Promise<void> {
  if (await knownUser()) work();
  else navigate(loginAddress());
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
  if (factorMissing.value) {
    return (
      <Page title={title} narrow>
        <p>{t('problem.second-factor-missing')}</p>
        <p>
          <a href="/account/security">{t('security.setUp')}</a>
        </p>
      </Page>
    );
  }
  return (
    <Page title={title} narrow>
      <Empty drawing="lock" text={t(sessionEnded.value ? 'enter.ended' : 'enter.first')}>
        <button type="button" class="primary" onClick={() => navigate(loginAddress())}>
          {t('enter.login')}
        </button>
        {registrationOpen && (
          <button type="button" onClick={() => navigate(loginAddress('register'))}>
            {t('enter.register')}
          </button>
        )}
      </Empty>
    </Page>
  );
}
