import type { JSX } from 'preact';
import { useAction } from '../data/action';
import { client, type User } from '../data/client';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
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
  const fields = useFields({ mail: '', currentPassword: '' }, async (given) => {
    user.value = await client.updateMe(given);
    announce('done.verification');
    onDone();
  });
  return (
    <ActionForm
      action={fields}
      send={t('form.save')}
      onCancel={onDone}
      ready={Object.values(fields.values).every(Boolean)}
    >
      <TextField
        label={t('mail.address')}
        {...fields.tie('mail')}
        autocomplete="email"
        hint={t('mail.hint')}
        required
      />
      <TextField
        label={t('account.currentPassword')}
        type="password"
        {...fields.tie('currentPassword')}
        autocomplete="current-password"
        required
      />
    </ActionForm>
  );
}
