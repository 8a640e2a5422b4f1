/** Logging in and registering. */
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { address, navigate } from '../app/router';
import { client } from '../data/client';
import { type Fault, toFault } from '../data/fault';
import { frame } from '../data/frame';
import { completeLogin, factorMissing, logIn } from '../data/session';
import { limit, loadSite, registrationOpen } from '../data/site';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { PasskeyLogin } from './passkeys';
import { providers } from './providerList';
import { TermsCheck } from './terms';
import './words';

const ProviderButtons = lazy(() => import('./providers').then((module) => module.ProviderButtons));

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
      {providers.value.length > 0 && <ProviderButtons next={nextPath(address.value)} />}
      <p>
        <a href="/account/forgot">{t('forgot.title')}</a>
      </p>
      {registrationOpen && (
        <p>
          {t('enter.noAccount')} <a href={withNext('/account/register')}>{t('enter.toRegister')}</a>
        </p>
      )}
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
  const fields = useFields({ username: '', password: '' }, async ({ username, password }) => {
    const challenge = await logIn(username, password);
    if (challenge === null) onDone();
    else onChallenge(challenge);
  });
  return (
    <ActionForm action={{ ...fields, fault: fields.fault ?? refused }} send={t('enter.login')}>
      <TextField
        label={t('enter.username')}
        {...fields.tie('username')}
        autocomplete="username webauthn"
        required
      />
      <TextField
        label={t('enter.password')}
        type="password"
        {...fields.tie('password')}
        autocomplete="current-password"
        required
      />
    </ActionForm>
  );
}

/** Refusals after which the same challenge is still good. */
const OPEN = ['wrong-factor', 'invalid-request', 'rate-limited'];

export function CodeForm({
  challenge,
  onDone,
  onBegin,
}: {
  challenge: string;
  onDone: () => void;
  onBegin: (fault: Fault | null) => void;
}): JSX.Element {
  const fields = useFields({ code: '' }, async ({ code }) => {
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
      action={fields}
      send={t('enter.login')}
      onCancel={() => onBegin(null)}
      ready={fields.values.code.trim() !== ''}
    >
      <CodeField {...fields.tie('code')} />
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

export function InvitationField({
  value,
  onValue,
}: {
  value: string;
  onValue: (value: string) => void;
}): JSX.Element {
  return (
    <TextField
      label={t('enter.invitation')}
      value={value}
      onValue={onValue}
      hint={t('enter.invitationHint')}
      maxLength={100}
      required
    />
  );
}

/** A page may be older than the version of the terms in force. */
export async function renewingTerms(sent: Promise<unknown>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    if (toFault(error).slug === 'terms-required') await loadSite();
    throw error;
  }
}

const EMPTY = { username: '', password: '', firstName: '', lastName: '', phone: '' };
const BY_INVITATION = frame.registration === 'invitation';

export function RegisterPage(): JSX.Element {
  // The link that an administrator sends has the code.
  const invitation = address.peek().searchParams.get('invitation') ?? '';
  const fields = useFields(
    { ...EMPTY, acceptedTerms: null as number | null, ...(BY_INVITATION ? { invitation } : {}) },
    async (given, idempotencyKey) => {
      await renewingTerms(client.register(given, { idempotencyKey }));
      await logIn(given.username, given.password);
      leave();
    },
    { repeatable: true },
  );
  const taken = fields.fault?.slug === 'username-taken' ? t('problem.username-taken') : undefined;
  if (!registrationOpen) {
    return (
      <Page title={t('enter.registerTitle')} narrow="form">
        <p>{t('problem.registration-closed')}</p>
      </Page>
    );
  }
  return (
    <Page title={t('enter.registerTitle')} narrow="form">
      <ActionForm action={taken ? { ...fields, fault: null } : fields} send={t('enter.register')}>
        {BY_INVITATION && (
          <InvitationField
            value={fields.values.invitation ?? ''}
            onValue={(value) => fields.change({ invitation: value })}
          />
        )}
        <TextField
          label={t('enter.username')}
          {...fields.tie('username')}
          autocomplete="username"
          hint={t('enter.usernameHint', { count: limit('usernameMinLength', 4) })}
          required
          {...(taken && { error: taken })}
        />
        <TextField
          label={t('enter.password')}
          type="password"
          {...fields.tie('password')}
          autocomplete="new-password"
          hint={t('enter.passwordHint', { count: limit('passwordMinLength', 8) })}
          required
        />
        <TextField
          label={t('enter.firstName')}
          {...fields.tie('firstName')}
          autocomplete="given-name"
          hint={t('enter.firstNameHint')}
          optional
        />
        <TextField
          label={t('enter.lastName')}
          {...fields.tie('lastName')}
          autocomplete="family-name"
          hint={t('enter.lastNameHint')}
          optional
        />
        <TextField
          label={t('enter.phone')}
          type="tel"
          {...fields.tie('phone')}
          autocomplete="tel"
          hint={t('enter.phoneHint')}
          optional
        />
        <TermsCheck
          value={fields.values.acceptedTerms}
          onValue={(acceptedTerms) => fields.change({ acceptedTerms })}
        />
      </ActionForm>
      {providers.value.length > 0 && <ProviderButtons next={nextPath(address.value)} />}
      <p>
        {t('enter.haveAccount')} <a href={withNext('/account/login')}>{t('enter.toLogin')}</a>
      </p>
    </Page>
  );
}
