/** Logging in and registering. */
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { newKey, useAction } from '../data/action';
import { client } from '../data/client';
import { type Fault, toFault } from '../data/fault';
import { messageAt } from '../data/faultText';
import { completeLogin, factorMissing, logIn } from '../data/session';
import { limit } from '../data/site';
import { TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { PasskeyLogin } from './passkeys';
import './words';

/** The page to return to: always a path of this site. */
export function nextPath(url: URL): string {
  const next = url.searchParams.get('next') ?? '/';
  const target = new URL(next, location.origin);
  return target.origin === location.origin ? target.pathname + target.search : '/';
}

function leave(): void {
  navigate(factorMissing.peek() ? '/account/security' : nextPath(address.peek()), { replace: true });
}

function withNext(path: string): string {
  const { search } = address.value;
  return path + search;
}

/** The password, and with an authenticator app a second step: a code. */
export function LoginPage(): JSX.Element {
  const [challenge, setChallenge] = useState<string | null>(null);
  const [refused, setRefused] = useState<Fault | null>(null);
  const begin = (fault: Fault | null): void => {
    setRefused(fault);
    setChallenge(null);
  };
  if (challenge !== null) {
    return (
      <Page title={t('code.title')} narrow="form">
        <CodeForm challenge={challenge} onDone={leave} onBegin={begin} />
      </Page>
    );
  }
  return (
    <Page title={t('enter.loginTitle')} narrow="form">
      <LoginForm refused={refused} onDone={leave} onChallenge={setChallenge} />
      <PasskeyLogin onDone={leave} />
      <p>
        <a href="/account/forgot">{t('forgot.title')}</a>
      </p>
      <p>
        {t('enter.noAccount')} <a href={withNext('/account/register')}>{t('enter.toRegister')}</a>
      </p>
    </Page>
  );
}

function LoginForm({
  refused,
  onDone,
  onChallenge,
}: {
  /** Why the login begins again. */
  refused: Fault | null;
  onDone: () => void;
  onChallenge: (challenge: string) => void;
}): JSX.Element {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    const challenge = await logIn(username, password);
    if (challenge === null) onDone();
    else onChallenge(challenge);
  });
  return (
    <ActionForm
      action={{ ...action, fault: action.fault ?? refused }}
      send={t('enter.login')}
      onSend={() => void action.run()}
    >
      <TextField
        label={t('enter.username')}
        value={username}
        onValue={setUsername}
        autocomplete="username webauthn"
        required
        error={messageAt(action.fault, '/username')}
      />
      <TextField
        label={t('enter.password')}
        type="password"
        value={password}
        onValue={setPassword}
        autocomplete="current-password"
        required
        error={messageAt(action.fault, '/password')}
      />
    </ActionForm>
  );
}

/** Refusals after which the same challenge is still good. */
const OPEN = ['wrong-factor', 'invalid-request', 'rate-limited'];

function CodeForm({
  challenge,
  onDone,
  onBegin,
}: {
  challenge: string;
  onDone: () => void;
  onBegin: (fault: Fault | null) => void;
}): JSX.Element {
  const [code, setCode] = useState('');
  const action = useAction(async () => {
    try {
      await completeLogin(challenge, code);
    } catch (error) {
      const fault = toFault(error);
      if (fault.kind !== 'problem' || fault.status >= 500 || OPEN.includes(fault.slug)) throw error;
      onBegin(fault);
      return;
    }
    onDone();
  });
  return (
    <ActionForm
      action={action}
      send={t('enter.login')}
      onSend={() => void action.run()}
      onCancel={() => onBegin(null)}
      ready={code.trim() !== ''}
    >
      <CodeField value={code} onValue={setCode} error={messageAt(action.fault, '/code')} />
    </ActionForm>
  );
}

/** A code of an authenticator app, or a recovery code. It takes the focus, as it appears when the service requires it. */
export function CodeField({
  value,
  onValue,
  error,
}: {
  value: string;
  onValue: (value: string) => void;
  error?: string | undefined;
}): JSX.Element {
  const id = useId();
  useEffect(() => document.getElementById(id)?.focus(), [id]);
  return (
    <TextField
      id={id}
      label={t('code.label')}
      value={value}
      onValue={onValue}
      autocomplete="one-time-code"
      hint={t('code.hint')}
      maxLength={40}
      required
      error={error}
    />
  );
}

const EMPTY = { username: '', password: '', firstName: '', lastName: '', phone: '' };

export function RegisterPage(): JSX.Element {
  const [given, setGiven] = useState(EMPTY);
  const set = (name: keyof typeof EMPTY) => (value: string) => setGiven((all) => ({ ...all, [name]: value }));
  const action = useAction(
    async (idempotencyKey: string) => {
      await client.register(given, { idempotencyKey });
      await logIn(given.username, given.password);
      leave();
    },
    { repeatable: true },
  );
  const error = (name: keyof typeof EMPTY): string | undefined => messageAt(action.fault, `/${name}`);
  const taken = action.fault?.slug === 'username-taken' ? t('problem.username-taken') : undefined;
  return (
    <Page title={t('enter.registerTitle')} narrow="form">
      <ActionForm
        action={taken ? { ...action, fault: null } : action}
        send={t('enter.register')}
        onSend={() => void action.run(newKey())}
      >
        <TextField
          label={t('enter.username')}
          value={given.username}
          onValue={set('username')}
          autocomplete="username"
          hint={t('enter.usernameHint', { count: limit('usernameMinLength', 4) })}
          required
          error={taken ?? error('username')}
        />
        <TextField
          label={t('enter.password')}
          type="password"
          value={given.password}
          onValue={set('password')}
          autocomplete="new-password"
          hint={t('enter.passwordHint', { count: limit('passwordMinLength', 8) })}
          required
          error={error('password')}
        />
        <TextField
          label={t('enter.firstName')}
          value={given.firstName}
          onValue={set('firstName')}
          autocomplete="given-name"
          hint={t('enter.firstNameHint')}
          optional
          error={error('firstName')}
        />
        <TextField
          label={t('enter.lastName')}
          value={given.lastName}
          onValue={set('lastName')}
          autocomplete="family-name"
          hint={t('enter.lastNameHint')}
          optional
          error={error('lastName')}
        />
        <TextField
          label={t('enter.phone')}
          type="tel"
          value={given.phone}
          onValue={set('phone')}
          autocomplete="tel"
          hint={t('enter.phoneHint')}
          optional
          error={error('phone')}
        />
      </ActionForm>
      <p>
        {t('enter.haveAccount')} <a href={withNext('/account/login')}>{t('enter.toLogin')}</a>
      </p>
    </Page>
  );
}
