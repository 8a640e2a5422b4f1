/** What protects the account: its password, passkeys, authenticator app, sessions and keys. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { client } from '../data/client';
import { factorMissing, user } from '../data/session';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import '../styles/security.css';
import { AuthenticatorApp, newCodes } from './authenticatorApp';
import { SignedIn } from './enterFirst';
import { Keys } from './keys';
import { Passkeys } from './passkeys';
import { providers } from './providerList';
import { Sessions } from './sessions';
import './words';

const Identities = lazy(() => import('./providers').then((module) => module.Identities));

export function SecurityPage(): JSX.Element {
  const title = t('security.title');
  useEffect(
    () => () => {
      newCodes.value = null;
    },
    [],
  );
  if (user.value === null && factorMissing.value) {
    return (
      <Page title={title} narrow>
        <div class="notice">
          <p>{t('security.missing')}</p>
        </div>
        <Passkeys />
        <AuthenticatorApp isSet={false} codesLeft={0} />
      </Page>
    );
  }
  return (
    <SignedIn title={title}>
      {(me) => (
        <Page title={title} narrow>
          <div class="panels">
            <NewPassword username={me.email} />
            <Passkeys />
            {providers.value.length > 0 && <Identities />}
            <AuthenticatorApp isSet={me.totp} codesLeft={me.recoveryCodesLeft} />
            <Sessions />
            <Keys me={me} />
            <p>
              <a href="/account/webhooks">{t('security.webhooks')}</a>
            </p>
          </div>
        </Page>
      )}
    </SignedIn>
  );
}

function NewPassword({ username }: { username: string }): JSX.Element {
  const fields = useFields({ currentPassword: '', newPassword: '' }, async (given) => {
    await client.changePassword(given);
    fields.change({ currentPassword: '', newPassword: '' });
    announce('done.password');
  });
  return (
    <section aria-labelledby="new-password">
      <h2 id="new-password">{t('account.password')}</h2>
      <ActionForm
        action={fields}
        send={t('account.changePassword')}
        ready={Object.values(fields.values).every(Boolean)}
      >
        <input type="hidden" autocomplete="username" value={username} />
        <TextField
          label={t('account.currentPassword')}
          type="password"
          {...fields.tie('currentPassword')}
          autocomplete="current-password"
        />
        <TextField
          label={t('account.newPassword')}
          type="password"
          {...fields.tie('newPassword')}
          autocomplete="new-password"
          hint={t('account.passwordEnds')}
        />
      </ActionForm>
    </section>
  );
}
