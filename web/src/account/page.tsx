import type { JSX } from 'preact';
import { MeLinks } from '../app/shell';
import { useAction } from '../data/action';
import { client, type User } from '../data/client';
import { user } from '../data/session';
import { limit } from '../data/site';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Face, Icon, type IconName } from '../elements/icon';
import { announce, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { shrink } from '../post/pictures/shrink';
import { Blocked } from './blocked';
import { SignedIn } from './enterFirst';
import { Leaving } from './leaving';
import { MailAddress } from './mail';
import './words';

export function AccountPage(): JSX.Element {
  return (
    <SignedIn title={t('account.title')}>
      {(me) => (
        <Page title={t('account.title')} narrow>
          <Avatar me={me} />
          <nav class="panel phone-only" aria-label={t('shell.me')}>
            <MeLinks />
          </nav>
          <nav class="panel" aria-label={t('account.settings')}>
            <ul class="me-links">
              {toSettings('/account/security', 'shield', t('account.security'), t('account.securityText'))}
              {toSettings('/account/preferences', 'bell', t('preferences.title'), t('preferences.about'))}
              {toSettings('/account/decisions', 'flag', t('decisions.title'), t('decisions.show'))}
            </ul>
          </nav>
          <div class="panels">
            <Profile me={me} />
            <MailAddress me={me} />
            <Blocked />
            <Leaving />
          </div>
        </Page>
      )}
    </SignedIn>
  );
}

const toSettings = (href: string, icon: IconName, title: string, text: string): JSX.Element => (
  <li>
    <a href={href}>
      <Icon name={icon} />
      <span>
        {title}
        <small>{text}</small>
      </span>
      <Icon name="right" />
    </a>
  </li>
);

function Profile({ me }: { me: User }): JSX.Element {
  const fields = useFields(
    { firstName: me.firstName, lastName: me.lastName, phone: me.phone },
    async (given) => {
      user.value = await client.updateMe(given);
      announce('done.save');
    },
    { repeatable: true },
  );
  const field = (
    name: 'firstName' | 'lastName' | 'phone',
    label: string,
    autocomplete: string,
    hint: string,
  ): JSX.Element => (
    <TextField
      label={label}
      hint={hint}
      {...fields.tie(name)}
      autocomplete={autocomplete}
      type={name === 'phone' ? 'tel' : 'text'}
      maxLength={name === 'phone' ? undefined : limit('nameMaxLength', 64)}
    />
  );
  return (
    <section aria-labelledby="profile">
      <h2 id="profile">{t('account.profile')}</h2>
      <ActionForm action={fields} send={t('form.save')}>
        {field('firstName', t('enter.firstName'), 'given-name', t('enter.firstNameHint'))}
        {field('lastName', t('enter.lastName'), 'family-name', t('enter.lastNameHint'))}
        {field('phone', t('enter.phone'), 'tel', t('enter.phoneHint'))}
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
    <section class="media me-head" aria-label={t('account.avatar')}>
      <Face image={me.image} name={me.firstName || me.email} size={72} />
      <div>
        <p class="one-line">{me.email}</p>
        <span class="file">
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
          <label for="avatar" class="button">
            <Icon name="camera" />
            {t(me.image ? 'account.avatarReplace' : 'account.avatarAdd')}
          </label>
        </span>
      </div>
      <FaultNotice fault={action.fault} limited={action.limited} />
    </section>
  );
}
