/** What protects the account: its password, passkeys, authenticator app, sessions and keys. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { messageAt } from '../data/faultText';
import { factorMissing, user } from '../data/session';
import { TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import '../styles/security.css';
import { AuthenticatorApp, newCodes } from './authenticatorApp';
import { SignedIn } from './enterFirst';
import { Keys } from './keys';
import { Passkeys } from './passkeys';
import { Sessions } from './sessions';
import './words';

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
            <AuthenticatorApp isSet={me.totp} codesLeft={me.recoveryCodesLeft} />
            <Sessions />
            <Keys me={me} />
          </div>
        </Page>
      )}
    </SignedIn>
  );
}

function NewPassword({ username }: { username: string }): JSX.Element {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const action = useAction(async () => {
    await client.changePassword({ currentPassword: current, newPassword: next });
    setCurrent('');
    setNext('');
    announce('done.password');
  });
  return (
    <section aria-labelledby="new-password">
      <h2 id="new-password">{t('account.password')}</h2>
      <ActionForm
        action={action}
        send={t('account.changePassword')}
        onSend={() => void action.run()}
        ready={current !== '' && next !== ''}
      >
        <input type="hidden" autocomplete="username" value={username} />
        <TextField
          label={t('account.currentPassword')}
          type="password"
          value={current}
          onValue={setCurrent}
          autocomplete="current-password"
          error={messageAt(action.fault, '/currentPassword')}
        />
        <TextField
          label={t('account.newPassword')}
          type="password"
          value={next}
          onValue={setNext}
          autocomplete="new-password"
          hint={t('account.passwordEnds')}
          error={messageAt(action.fault, '/newPassword')}
        />
      </ActionForm>
    </section>
  );
}
