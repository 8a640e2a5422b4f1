import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { client, type User } from '../data/client';
import { messageAt } from '../data/faultText';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import './words';

/** The address for mails. A new one takes effect when it is verified. */
export function MailAddress({ me }: { me: User }): JSX.Element {
  const verification = useAction(async () => {
    await client.requestMailVerification();
    announce('done.verification');
  });
  return (
    <section aria-labelledby="mail">
      <h2 id="mail">{t('mail.title')}</h2>
      {me.mail ? (
        <p>
          {me.mail} <span class="badge">{t(me.mailVerified ? 'mail.verified' : 'mail.unverified')}</span>
        </p>
      ) : (
        <p class="faint">{t('mail.none')}</p>
      )}
      <FaultNotice fault={verification.fault} limited={verification.limited} />
      <div class="buttons">
        {me.mail && !me.mailVerified && (
          <button
            type="button"
            disabled={verification.busy || verification.limited !== null}
            onClick={() => void verification.run()}
          >
            {t('mail.verify')}
          </button>
        )}
        <Disclosure label={t(me.mail ? 'mail.change' : 'mail.add')}>
          {(close) => <NewAddress onDone={close} />}
        </Disclosure>
      </div>
    </section>
  );
}

function NewAddress({ onDone }: { onDone: () => void }): JSX.Element {
  const [mail, setMail] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    user.value = await client.updateMe({ mail, currentPassword: password });
    announce('done.verification');
    onDone();
  });
  return (
    <ActionForm
      action={action}
      send={t('form.save')}
      onSend={() => void action.run()}
      onCancel={onDone}
      ready={mail !== '' && password !== ''}
    >
      <TextField
        label={t('mail.address')}
        value={mail}
        onValue={setMail}
        autocomplete="email"
        hint={t('mail.hint')}
        required
        error={messageAt(action.fault, '/mail')}
      />
      <TextField
        label={t('account.currentPassword')}
        type="password"
        value={password}
        onValue={setPassword}
        autocomplete="current-password"
        required
        error={messageAt(action.fault, '/currentPassword')}
      />
    </ActionForm>
  );
}
