/** Links by mail: requesting one, a new password, verifying an address. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { toFault } from '../data/fault';
import { adopt, forget, user } from '../data/session';
import { limit } from '../data/site';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { CodeField } from './enter';
import { BrokenLink, useToken } from './linkToken';
import './words';

// One chunk for what links lead to: each more is in the list that every visitor loads.
export { ProviderPage } from './providerPage';

export function ForgotPage(): JSX.Element {
  const [sent, setSent] = useState(false);
  const fields = useFields({ username: '' }, async (given) => {
    await client.forgotPassword(given);
    setSent(true);
  });
  if (sent) {
    return (
      <Page title={t('forgot.sentTitle')} narrow="form">
        <p role="status">{t('forgot.sent')}</p>
        <BackToLogin />
      </Page>
    );
  }
  return (
    <Page title={t('forgot.title')} narrow="form">
      <p>{t('forgot.text')}</p>
      <ActionForm action={fields} send={t('forgot.send')} ready={fields.values.username !== ''}>
        <TextField label={t('enter.username')} {...fields.tie('username')} autocomplete="username" required />
      </ActionForm>
      <BackToLogin />
    </Page>
  );
}

function BackToLogin(): JSX.Element {
  return (
    <p>
      <a href="/account/login">{t('enter.login')}</a>
    </p>
  );
}

export function ResetPage(): JSX.Element {
  const token = useToken();
  return <Reset key={token} token={token} />;
}

const NO_PASSWORD = {
  newPassword: '',
  // Null until the service requires one: it does for accounts with an authenticator app.
  code: null as string | null,
  endKeys: false,
};

function Reset({ token }: { token: string | null }): JSX.Element {
  const fields = useFields(NO_PASSWORD, async ({ code, ...given }) => {
    try {
      await client.resetPassword({ token: token ?? '', ...given, ...(code === null ? {} : { code }) });
    } catch (error) {
      if (toFault(error).slug !== 'second-factor-required') throw error;
      fields.change({ code: '' });
      return;
    }
    // All sessions of that account have ended; another account may be logged in here.
    forget();
    navigate('/account/login', { replace: true });
    announce('done.password');
  });
  if (token === null || fields.fault?.slug === 'invalid-token')
    return <BrokenLink title={t('reset.title')} again="/account/forgot" text={t('forgot.again')} />;
  return (
    <Page title={t('reset.title')} narrow="form">
      <ActionForm
        action={fields}
        send={t('account.changePassword')}
        ready={fields.values.newPassword !== '' && fields.values.code?.trim() !== ''}
      >
        <TextField
          label={t('account.newPassword')}
          type="password"
          {...fields.tie('newPassword')}
          autocomplete="new-password"
          hint={t('enter.passwordHint', { count: limit('passwordMinLength', 8) })}
          required
        />
        {fields.values.code !== null && <CodeField {...fields.tie('code')} />}
        <EndKeys {...fields.tie('endKeys')} />
        <p class="faint">{t('reset.ends')}</p>
      </ActionForm>
    </Page>
  );
}

/** Keys outlive passwords. */
function EndKeys({ value, onValue }: { value: boolean; onValue: (value: boolean) => void }): JSX.Element {
  const hint = useId();
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          checked={value}
          aria-describedby={hint}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
        <span>{t('endKeys.label')}</span>
      </label>
      <p class="hint" id={hint}>
        {t('endKeys.text')}
      </p>
    </div>
  );
}

/** Verifies when the button is pressed: programs that scan mails open links, but press no buttons. */
export function VerifyPage(): JSX.Element {
  const token = useToken();
  return <Verify key={token} token={token} />;
}

function Verify({ token }: { token: string | null }): JSX.Element {
  const [done, setDone] = useState(false);
  const action = useAction(async () => {
    await client.verifyMail({ token: token ?? '' });
    history.replaceState(null, '');
    setDone(true);
    if (user.peek()) void adopt().catch(() => undefined); // The next page load asks again.
  });
  if (done) {
    return (
      <Page title={t('verify.doneTitle')} narrow="form">
        <p role="status">{t('verify.done')}</p>
        <p>
          <a href="/">{t('verify.home')}</a>
        </p>
      </Page>
    );
  }
  if (token === null || action.fault?.slug === 'invalid-token')
    return <BrokenLink title={t('verify.title')} again="/account" text={t('verify.again')} />;
  return (
    <Page title={t('verify.title')} narrow="form">
      <p>{t('verify.text')}</p>
      <ActionForm action={action} send={t('verify.confirm')} />
    </Page>
  );
}

/** "This was not me", of a mail about a login. Opening it changes nothing, as with `VerifyPage`. */
export function NotMePage(): JSX.Element {
  const token = useToken();
  const [done, setDone] = useState(false);
  const fields = useFields({ endKeys: false }, async (given) => {
    await client.reportLogin({ token: token ?? '', ...given });
    history.replaceState(null, '');
    forget();
    setDone(true);
  });
  if (done) {
    return (
      <Page title={t('notMe.doneTitle')} narrow="form">
        <p role="status">{t('notMe.done')}</p>
        <p>{t('notMe.then')}</p>
      </Page>
    );
  }
  if (token === null || fields.fault?.slug === 'invalid-token')
    return <BrokenLink title={t('notMe.title')} again="/account/forgot" text={t('notMe.again')} />;
  return (
    <Page title={t('notMe.title')} narrow="form">
      <p>{t('notMe.text')}</p>
      <ActionForm action={fields} send={t('notMe.confirm')} look="danger">
        <EndKeys {...fields.tie('endKeys')} />
      </ActionForm>
    </Page>
  );
}
