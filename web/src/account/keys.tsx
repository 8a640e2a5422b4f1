import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type CreatedKey, type CreateKey, client, type Key, type User, valuesOf } from '../data/client';
import { gone, toFault } from '../data/fault';
import { copy } from '../data/files';
import { keysQuery } from '../data/queries';
import { queryClient, useQuery } from '../data/query';
import { limit } from '../data/site';
import { Deletion } from '../elements/deletion';
import { Disclosure } from '../elements/disclosure';
import { Checks, Field, Select, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { FaultNotice } from '../elements/notice';
import { hasMessage, message, t } from '../i18n';
import { formatDate, formatMoment } from '../i18n/format';
import './words';

type Scope = CreateKey['scopes'][number];

/** What an account of each role can use. */
const SCOPES = valuesOf<Exclude<Scope, 'moderation' | 'events:read' | 'admin'>>({
  'ads:read': true,
  'ads:write': true,
  'messages:read': true,
  'messages:write': true,
  'account:read': true,
  'account:write': true,
});
const OFFERED: Record<string, readonly Scope[]> = {
  USER: SCOPES,
  MODERATOR: [...SCOPES, 'moderation'],
  ADMIN: [...SCOPES, 'moderation', 'events:read', 'admin'],
};

const DAY = 24 * 60 * 60 * 1000;
const DAYS = ['30', '90', '365', ''];

const scopeText = (scope: string): string =>
  hasMessage(`keys.scope.${scope}`) ? message(`keys.scope.${scope}`) : scope;

const reload = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['keys'] });

/** The keys that programs of this account use. A secret is shown once, when its key was made. */
export function Keys({ me }: { me: User }): JSX.Element {
  const { data, error } = useQuery(keysQuery());
  const [made, setMade] = useState<CreatedKey | null>(null);
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{t('keys.title')}</h2>
      <p>{t('keys.text')}</p>
      {error && <FaultNotice fault={toFault(error)} />}
      {made && <Secret secret={made.secret} onClose={() => setMade(null)} />}
      <ul class="list">
        {data?.results.map((key) => (
          <OneKey
            key={key.id}
            of={key}
            onDeleted={() => setMade((shown) => (shown?.id === key.id ? null : shown))}
          />
        ))}
      </ul>
      <Disclosure label={t('keys.create')}>
        {(close) => (
          <NewKey
            scopes={OFFERED[me.role] ?? SCOPES}
            onCancel={close}
            onMade={(key) => {
              setMade(key);
              close();
            }}
          />
        )}
      </Disclosure>
    </section>
  );
}

function OneKey({ of: key, onDeleted }: { of: Key; onDeleted: () => void }): JSX.Element {
  const { expiresAt } = key;
  const expired = expiresAt !== null && expiresAt <= Date.now();
  return (
    <li class="split">
      <div>
        <p class="one-line" dir="auto">
          {key.name}
        </p>
        <p class="faint">
          <code>{key.prefix}…</code>
        </p>
        <p class="faint">{key.scopes.map(scopeText).join(' · ')}</p>
        <p class="faint">
          {key.lastUsedAt === null
            ? t('keys.unused')
            : t('sessions.used', { date: formatMoment(key.lastUsedAt) })}
          {' · '}
          {expiresAt === null
            ? t('keys.endless')
            : t(expired ? 'keys.expired' : 'keys.expires', { date: formatDate(expiresAt) })}
        </p>
      </div>
      <Deletion
        label={t('keys.delete')}
        name={t('keys.deleteNamed', { name: key.name })}
        send={t('keys.confirm')}
        remove={async () => {
          await gone(client.deleteKey(key.id));
          onDeleted();
          await reload();
        }}
      />
    </li>
  );
}

const NO_KEY = {
  name: '',
  scopes: [] as readonly Scope[],
  /** In days. */
  expiresAt: '90',
  // Null until the service requires it: it does some minutes after the login.
  currentPassword: null as string | null,
};

function NewKey({
  scopes,
  onCancel,
  onMade,
}: {
  scopes: readonly Scope[];
  onCancel: () => void;
  onMade: (key: CreatedKey) => void;
}): JSX.Element {
  // Not repeated by itself: it may have been made, and then its secret is lost.
  const fields = useFields(NO_KEY, async ({ expiresAt: days, currentPassword, ...given }) => {
    const wanted = {
      ...given,
      scopes: [...given.scopes],
      expiresAt: days === '' ? null : Date.now() + Number(days) * DAY,
      ...(currentPassword === null ? {} : { currentPassword }),
    };
    try {
      const key = await client.createKey(wanted);
      await reload();
      onMade(key);
    } catch (error) {
      if (toFault(error).slug !== 'login-required' || currentPassword !== null) throw error;
      fields.change({ currentPassword: '' });
    }
  });
  const { name, scopes: chosen, currentPassword } = fields.values;
  return (
    <ActionForm
      action={fields}
      send={t('keys.make')}
      onCancel={onCancel}
      ready={name.trim() !== '' && chosen.length > 0 && currentPassword !== ''}
      label={t('keys.create')}
    >
      <TextField
        label={t('keys.name')}
        {...fields.tie('name')}
        hint={t('keys.nameHint')}
        maxLength={limit('keyNameMaxLength', 100)}
      />
      <Checks label={t('keys.scopes')} {...fields.tie('scopes')} offered={scopes} textOf={scopeText} />
      <Select
        label={t('keys.lasts')}
        {...fields.tie('expiresAt')}
        choices={DAYS.map((value) => ({
          value,
          label: value === '' ? t('keys.endless') : t('keys.days', { count: Number(value) }),
        }))}
      />
      {currentPassword !== null && (
        <TextField
          label={t('account.currentPassword')}
          type="password"
          {...fields.tie('currentPassword')}
          autocomplete="current-password"
          hint={t('keys.password')}
        />
      )}
    </ActionForm>
  );
}

const selectSecret = (): void => document.querySelector<HTMLInputElement>('[data-secret]')?.focus();

function Secret({ secret, onClose }: { secret: string; onClose: () => void }): JSX.Element {
  return (
    <div class="stack">
      <Field label={t('keys.secret')} hint={t('keys.once')}>
        {(tied) => (
          <input
            {...tied}
            type="text"
            readOnly
            data-secret
            autocomplete="off"
            spellcheck={false}
            value={secret}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Field>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void copy(secret, selectSecret)}>
          {t('keys.copy')}
        </button>
        <button type="button" onClick={onClose}>
          {t('keys.kept')}
        </button>
      </div>
    </div>
  );
}
