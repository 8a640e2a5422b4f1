import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { type CreatedKey, type CreateKey, client, type Key, type User, valuesOf } from '../data/client';
import { gone, toFault } from '../data/fault';
import { messageAt } from '../data/faultText';
import { keysQuery } from '../data/queries';
import { queryClient, useQuery } from '../data/query';
import { limit } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { Field, Select, TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce, FaultNotice } from '../elements/notice';
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
      <ul class="sessions">
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
  const action = useAction(
    async () => {
      await gone(client.deleteKey(key.id));
      onDeleted();
      await reload();
    },
    { repeatable: true },
  );
  const { expiresAt } = key;
  const expired = expiresAt !== null && expiresAt <= Date.now();
  return (
    <li>
      <div>
        <p class="one-line">{key.name}</p>
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
      <Disclosure label={t('keys.delete')} name={t('keys.deleteNamed', { name: key.name })}>
        {(close) => (
          <ActionForm
            action={action}
            send={t('keys.confirm')}
            onSend={() => void action.run()}
            onCancel={close}
            look="danger"
          />
        )}
      </Disclosure>
    </li>
  );
}

function NewKey({
  scopes,
  onCancel,
  onMade,
}: {
  scopes: readonly Scope[];
  onCancel: () => void;
  onMade: (key: CreatedKey) => void;
}): JSX.Element {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set());
  const [days, setDays] = useState('90');
  // Null until the service requires it: it does some minutes after the login.
  const [password, setPassword] = useState<string | null>(null);
  // Not repeated by itself: it may have been made, and then its secret is lost.
  const action = useAction(async () => {
    const wanted = {
      name,
      scopes: scopes.filter((scope) => chosen.has(scope)),
      expiresAt: days === '' ? null : Date.now() + Number(days) * DAY,
      ...(password === null ? {} : { currentPassword: password }),
    };
    try {
      const key = await client.createKey(wanted);
      await reload();
      onMade(key);
    } catch (error) {
      if (toFault(error).slug !== 'login-required' || password !== null) throw error;
      setPassword('');
    }
  });
  const toggle = (scope: Scope): void => {
    const next = new Set(chosen);
    if (!next.delete(scope)) next.add(scope);
    setChosen(next);
  };
  return (
    <ActionForm
      action={action}
      send={t('keys.make')}
      onSend={() => void action.run()}
      onCancel={onCancel}
      ready={name.trim() !== '' && chosen.size > 0 && password !== ''}
      label={t('keys.create')}
    >
      <TextField
        label={t('keys.name')}
        value={name}
        onValue={setName}
        hint={t('keys.nameHint')}
        maxLength={limit('keyNameMaxLength', 100)}
        error={messageAt(action.fault, '/name')}
      />
      <fieldset>
        <legend>{t('keys.scopes')}</legend>
        {scopes.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} />
            <span>{scopeText(scope)}</span>
          </label>
        ))}
      </fieldset>
      <Select
        label={t('keys.lasts')}
        value={days}
        onValue={setDays}
        choices={DAYS.map((value) => ({
          value,
          label: value === '' ? t('keys.endless') : t('keys.days', { count: Number(value) }),
        }))}
        error={messageAt(action.fault, '/expiresAt')}
      />
      {password !== null && (
        <TextField
          label={t('account.currentPassword')}
          type="password"
          value={password}
          onValue={setPassword}
          autocomplete="current-password"
          hint={t('keys.password')}
          error={messageAt(action.fault, '/currentPassword')}
        />
      )}
    </ActionForm>
  );
}

/** Without HTTPS there is no clipboard, and a browser may refuse it: then the field is there to copy from. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce('done.copy');
  } catch {
    document.querySelector<HTMLInputElement>('[data-secret]')?.focus();
  }
}

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
        <button type="button" class="primary" onClick={() => void copy(secret)}>
          {t('keys.copy')}
        </button>
        <button type="button" onClick={onClose}>
          {t('keys.kept')}
        </button>
      </div>
    </div>
  );
}
