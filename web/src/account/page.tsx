import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { client, type User } from '../data/client';
import { messageAt } from '../data/faultText';
import { user } from '../data/session';
import { limit } from '../data/site';
import { TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { shrink } from '../post/pictures/shrink';
import { SignedIn } from './enterFirst';
import { Keys } from './keys';
import { Leaving } from './leaving';
import { MailAddress } from './mail';
import { Sessions } from './sessions';

export function AccountPage(): JSX.Element {
  return (
    <SignedIn title={t('account.title')}>
      {(me) => (
        <Page title={t('account.title')} narrow>
          <p class="faint">{me.email}</p>
          <Profile me={me} />
          <Avatar me={me} />
          <MailAddress me={me} />
          <NewPassword username={me.email} />
          <section aria-labelledby="decisions">
            <h2 id="decisions">{t('decisions.title')}</h2>
            <a href="/account/decisions">{t('decisions.show')}</a>
          </section>
          <section aria-labelledby="preferences">
            <h2 id="preferences">{t('notifications.title')}</h2>
            <a href="/account/preferences">{t('preferences.title')}</a>
          </section>
          <Sessions />
          <Keys me={me} />
          <Leaving />
        </Page>
      )}
    </SignedIn>
  );
}

function Profile({ me }: { me: User }): JSX.Element {
  const [given, setGiven] = useState({ firstName: me.firstName, lastName: me.lastName, phone: me.phone });
  const action = useAction(
    async () => {
      user.value = await client.updateMe(given);
      announce('done.save');
    },
    { repeatable: true },
  );
  const field = (name: keyof typeof given, label: string, autocomplete: string): JSX.Element => (
    <TextField
      label={label}
      value={given[name]}
      onValue={(value) => setGiven((all) => ({ ...all, [name]: value }))}
      autocomplete={autocomplete}
      type={name === 'phone' ? 'tel' : 'text'}
      maxLength={name === 'phone' ? undefined : limit('nameMaxLength', 64)}
      error={messageAt(action.fault, `/${name}`)}
    />
  );
  return (
    <section aria-labelledby="profile">
      <h2 id="profile">{t('account.profile')}</h2>
      <ActionForm action={action} send={t('form.save')} onSend={() => void action.run()}>
        {field('firstName', t('enter.firstName'), 'given-name')}
        {field('lastName', t('enter.lastName'), 'family-name')}
        {field('phone', t('enter.phone'), 'tel')}
      </ActionForm>
    </section>
  );
}

function Avatar({ me }: { me: User }): JSX.Element {
  const action = useAction(
    async (file: File) => {
      user.value = await client.replaceMyImage(new File([await shrink(file)], file.name));
      announce('done.save');
    },
    { repeatable: true },
  );
  return (
    <section class="field" aria-label={t('account.avatar')}>
      {me.image && <img class="avatar" src={me.image} alt="" width="64" height="64" />}
      <div class="label">
        <label for="avatar">{t('account.avatar')}</label>
      </div>
      <input
        id="avatar"
        type="file"
        accept="image/jpeg,image/png,image/webp"
        disabled={action.busy}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void action.run(file);
        }}
      />
      <FaultNotice fault={action.fault} limited={action.limited} />
    </section>
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
