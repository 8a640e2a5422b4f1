/** The authenticator app (TOTP) of the account, and its recovery codes. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { encodeQR } from 'qr';
import { type CreatedTotp, client } from '../data/client';
import { copy, download } from '../data/files';
import { queryClient } from '../data/query';
import { loadUser, user } from '../data/session';
import { siteName } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { type Fields, useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { t } from '../i18n';
import { confirmedBy } from './confirmed';
import './words';

/** Until they are put away. They are nowhere else. */
export const newCodes = signal<string[] | null>(null);

const FEW = 3;

export function AuthenticatorApp({ isSet, codesLeft }: { isSet: boolean; codesLeft: number }): JSX.Element {
  return (
    <section aria-labelledby="app-title">
      <h2 id="app-title">
        {t('app.title')} {isSet && <span class="badge">{t('app.on')}</span>}
      </h2>
      <p>{t('app.text')}</p>
      {isSet && (
        <p class={codesLeft <= FEW ? 'error' : 'faint'}>
          {t('app.left', { count: codesLeft })} {codesLeft <= FEW && t('app.few')}
        </p>
      )}
      {newCodes.value ? (
        <NewCodes codes={newCodes.value} />
      ) : (
        <div class="buttons">
          <Disclosure label={t(isSet ? 'app.again' : 'app.setUp')}>
            {(close) => <SetUp replaces={isSet} onDone={close} />}
          </Disclosure>
          {isSet && <Disclosure label={t('app.remove')}>{(close) => <Removal onDone={close} />}</Disclosure>}
        </div>
      )}
    </section>
  );
}

interface Proven {
  currentPassword: string;
  /** Null where none is needed. */
  code: string | null;
}

const isProven = ({ code }: Proven): boolean => code?.trim() !== '';

/** The password; with an app that is set up, a code of it too. */
function Proof({ values: { code }, tie }: Pick<Fields<Proven>, 'values' | 'tie'>): JSX.Element {
  return (
    <>
      <TextField
        label={t('account.currentPassword')}
        type="password"
        {...tie('currentPassword')}
        autocomplete="current-password"
      />
      {code !== null && (
        <TextField
          label={t('app.current')}
          {...tie('code')}
          autocomplete="one-time-code"
          maxLength={40}
          required
        />
      )}
    </>
  );
}

function SetUp({ replaces, onDone }: { replaces: boolean; onDone: () => void }): JSX.Element {
  const [begun, setBegun] = useState<CreatedTotp | null>(null);
  const fields = useFields<Proven>(
    { currentPassword: '', code: replaces ? '' : null },
    async ({ code, currentPassword }) => {
      setBegun(
        await client.createTotp({ ...confirmedBy(currentPassword), ...(code === null ? {} : { code }) }),
      );
    },
  );
  if (begun) return <Confirmation begun={begun} onDone={onDone} />;
  return (
    <ActionForm action={fields} send={t('app.next')} onCancel={onDone} ready={isProven(fields.values)}>
      <Proof {...fields} />
    </ActionForm>
  );
}

function Confirmation({ begun, onDone }: { begun: CreatedTotp; onDone: () => void }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  const fields = useFields({ code: '' }, async (given) => {
    const { recoveryCodes } = await client.confirmTotp(given);
    onDone();
    newCodes.value = recoveryCodes;
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    await loadUser();
    announce('done.app');
  });
  return (
    <div ref={box}>
      <p>{t('app.scan')}</p>
      <QrCode text={begun.uri} />
      <p>
        <a href={begun.uri}>{t('app.open')}</a>
      </p>
      <p class="label">{t('app.secret')}</p>
      <p>
        <code class="secret">{begun.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <ActionForm
        action={fields}
        send={t('app.confirm')}
        onCancel={onDone}
        ready={fields.values.code.trim() !== ''}
      >
        <TextField
          label={t('app.code')}
          {...fields.tie('code')}
          autocomplete="one-time-code"
          inputMode="numeric"
          maxLength={10}
          required
          hint={t('passkeys.ends')}
        />
      </ActionForm>
    </div>
  );
}

/** Dark squares on white, whatever the colours of the page: cameras read nothing else for sure. */
function QrCode({ text }: { text: string }): JSX.Element {
  const rows = useMemo(() => encodeQR(text, 'raw', { ecc: 'medium', border: 4 }), [text]);
  const squares = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg class="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={t('app.qr')}>
      <path d={`M0 0h${rows.length}v${rows.length}H0z`} fill="#fff" />
      <path d={squares.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

function Removal({ onDone }: { onDone: () => void }): JSX.Element {
  const fields = useFields<Proven>({ currentPassword: '', code: '' }, async ({ code, currentPassword }) => {
    await client.deleteTotp({ ...confirmedBy(currentPassword), code: code ?? '' });
    await loadUser();
    announce('done.appRemoved');
    onDone();
  });
  return (
    <ActionForm
      action={fields}
      send={t('app.removeConfirm')}
      onCancel={onDone}
      ready={isProven(fields.values)}
      look="danger"
    >
      <p>{t('app.removeText')}</p>
      <Proof {...fields} />
    </ActionForm>
  );
}

const selectCodes = (): void =>
  getSelection()?.selectAllChildren(document.querySelector('.codes ol') ?? document.body);

/** The recovery codes that were just made: to be downloaded, printed or copied, once. */
function NewCodes({ codes }: { codes: string[] }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const text = `${t('codes.file', { name: user.value?.email ?? '', site: siteName.peek() })}\n\n${codes.join('\n')}\n`;
  return (
    <section class="codes" aria-labelledby="codes">
      <h3 id="codes" ref={heading} tabIndex={-1}>
        {t('codes.title')}
      </h3>
      <p>{t('codes.text')}</p>
      <ol>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          onClick={() => download('recovery-codes.txt', 'text/plain', text)}
        >
          {t('codes.download')}
        </button>
        <button type="button" onClick={() => print()}>
          {t('codes.print')}
        </button>
        <button type="button" onClick={() => void copy(text, selectCodes)}>
          {t('codes.copy')}
        </button>
        <button
          type="button"
          onClick={() => {
            newCodes.value = null;
          }}
        >
          {t('codes.kept')}
        </button>
      </div>
    </section>
  );
}
