/** Links by mail: requesting one, a new password, verifying an address. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { toFault } from '../data/fault';
import { messageAt } from '../data/faultText';
import { adopt, forget, user } from '../data/session';
import { limit } from '../data/site';
import { TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { CodeField } from './enter';
import { BrokenLink, useToken } from './linkToken';
import './words';

export function ForgotPage(): JSX.Element {
  const [username, setUsername] = useState('');
  const [sent, setSent] = useState(false);
  const action = useAction(async () => {
    await client.forgotPassword({ username });
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
      <ActionForm
        action={action}
        send={t('forgot.send')}
        onSend={() => void action.run()}
        ready={username !== ''}
      >
        <TextField
          label={t('enter.username')}
          value={username}
          onValue={setUsername}
          autocomplete="username"
          required
          error={messageAt(action.fault, '/username')}
        />
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

function Reset({ token }: { token: string | null }): JSX.Element {
  const [password, setPassword] = useState('');
  // Null until the service requires one: it does for accounts with an authenticator app.
  const [code, setCode] = useState<string | null>(null);
  const [endKeys, setEndKeys] = useState(false);
  const action = useAction(async (secret: string) => {
    try {
      await client.resetPassword({
        token: secret,
        newPassword: password,
        endKeys,
        ...(code === null ? {} : { code }),
      });
    } catch (error) {
      if (toFault(error).slug !== 'second-factor-required') throw error;
      setCode('');
      return;
    }
    // All sessions of that account have ended; another account may be logged in here.
    forget();
    navigate('/account/login', { replace: true });
    announce('done.password');
  });
  if (token === null || action.fault?.slug === 'invalid-token')
    return <BrokenLink title={t('reset.title')} again="/account/forgot" text={t('forgot.again')} />;
  return (
    <Page title={t('reset.title')} narrow="form">
      <ActionForm
        action={action}
        send={t('account.changePassword')}
        onSend={() => void action.run(token)}
        ready={password !== '' && code?.trim() !== ''}
      >
        <TextField
          label={t('account.newPassword')}
          type="password"
          value={password}
          onValue={setPassword}
          autocomplete="new-password"
          hint={t('enter.passwordHint', { count: limit('passwordMinLength', 8) })}
          required
          error={messageAt(action.fault, '/newPassword')}
        />
        {code !== null && (
          <CodeField value={code} onValue={setCode} error={messageAt(action.fault, '/code')} />
        )}
        <EndKeys value={endKeys} onValue={setEndKeys} />
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
  const action = useAction(async (secret: string) => {
    await client.verifyMail({ token: secret });
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
      <ActionForm action={action} send={t('verify.confirm')} onSend={() => void action.run(token)} />
    </Page>
  );
}

/** "This was not me", of a mail about a login. Opening it changes nothing, as with `VerifyPage`. */
export function NotMePage(): JSX.Element {
  const token = useToken();
  const [done, setDone] = useState(false);
  const [endKeys, setEndKeys] = useState(false);
  const action = useAction(async (secret: string) => {
    await client.reportLogin({ token: secret, endKeys });
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
  if (token === null || action.fault?.slug === 'invalid-token')
    return <BrokenLink title={t('notMe.title')} again="/account/forgot" text={t('notMe.again')} />;
  return (
    <Page title={t('notMe.title')} narrow="form">
      <p>{t('notMe.text')}</p>
      <ActionForm
        action={action}
        send={t('notMe.confirm')}
        onSend={() => void action.run(token)}
        look="danger"
      >
        <EndKeys value={endKeys} onValue={setEndKeys} />
      </ActionForm>
    </Page>
  );
}
