/** Passkeys: logging in by one, adding and removing them. */
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { client, type Passkey } from '../data/client';
import { type Fault, gone, Refusal, toFault } from '../data/fault';
import { passkeysQuery } from '../data/queries';
import { queryClient, useQuery } from '../data/query';
import { adopt, loadUser } from '../data/session';
import { Deletion } from '../elements/deletion';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Icon } from '../elements/icon';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatDate, formatMoment } from '../i18n/format';
import { browserName } from './sessions';
import './words';

type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

/** What the browser says, as the page says it. */
function refusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = error instanceof WebAuthnError ? error.code : '';
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return new Refusal('passkey-known');
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID')
    return new Refusal('passkey-elsewhere');
  if (['NotAllowedError', 'AbortError'].includes(error.name)) return new Refusal('passkey-cancelled');
  return error instanceof WebAuthnError ? new Refusal('passkey-refused') : error;
}

/** The account whose passkey it is: eight bytes, in base64url. */
function accountOf(handle: string | undefined): number {
  const bytes = atob((handle ?? '').replaceAll('-', '+').replaceAll('_', '/'));
  return [...bytes].reduce((number, byte) => number * 256 + byte.charCodeAt(0), 0);
}

/**
 * Begins a session by a passkey: of any account, or only of the one that is logged in. False without one, if `mayAsk`
 * says that the browser is not to ask any more, or `isFirst` that another passkey was used meanwhile.
 */
export async function enterByPasskey({
  autofill = false,
  only,
  mayAsk = () => true,
  isFirst = () => true,
}: {
  autofill?: boolean;
  only?: number;
  mayAsk?: (() => boolean) | undefined;
  isFirst?: () => boolean;
} = {}): Promise<boolean> {
  const optionsJSON = { ...(await client.beginPasskeyLogin()), userVerification: 'required' as const };
  if (!mayAsk()) return false;
  let signed: Awaited<ReturnType<typeof startAuthentication>>;
  try {
    signed = await startAuthentication({ optionsJSON, useBrowserAutofill: autofill });
  } catch (error) {
    throw refusal(error);
  }
  if (!isFirst()) return false;
  const { id, rawId, response } = signed;
  const { userHandle = '' } = response;
  if (only !== undefined && accountOf(userHandle) !== only) throw new Refusal('passkey-other');
  try {
    await client.logInByPasskey({ id, rawId, type: 'public-key', response: { ...response, userHandle } });
  } catch (error) {
    throw toFault(error).slug === 'wrong-factor' ? new Refusal('wrong-passkey') : error;
  }
  return true;
}

/** Challenges are good for five minutes; a login page may stay open for longer. */
const RENEWED = 4 * 60_000;

/** Offers passkeys in the field for the user name, and by a button. */
export function PasskeyLogin({ onDone }: { onDone: () => void }): JSX.Element | null {
  // A new round offers them anew.
  const [round, setRound] = useState(0);
  const [fault, setFault] = useState<Fault | null>(null);
  // A browser asks for one passkey at a time: an offer that began later would end what the button asks.
  const pressed = useRef(false);
  // The field and the button may both be answered, if one is pressed while the other is.
  const used = useRef(false);
  const isFirst = (): boolean => {
    const first = !used.current;
    used.current = true;
    return first;
  };
  const again = (): void => {
    used.current = false;
    pressed.current = false;
    setRound((number) => number + 1);
  };
  const enter = async (autofill: boolean, mayAsk?: () => boolean): Promise<void> => {
    if (!(await enterByPasskey({ autofill, mayAsk, isFirst }))) return;
    await adopt();
    onDone();
  };
  const action = useAction(async () => {
    setFault(null);
    pressed.current = true;
    try {
      await enter(false);
    } catch (error) {
      again();
      throw error;
    }
  });
  useEffect(() => {
    let left = false;
    const renewal = setTimeout(again, RENEWED);
    const offer = async (): Promise<void> => {
      if (await browserSupportsWebAuthnAutofill()) await enter(true, () => !(left || pressed.current));
    };
    offer().catch((error) => {
      const found = toFault(error);
      // Without a press of the person only what the service says of their passkey is worth a notice.
      if (left || !OF_PASSKEY.includes(found.slug)) return;
      setFault(found);
      again();
    });
    return () => {
      left = true;
      clearTimeout(renewal);
      WebAuthnAbortService.cancelCeremony();
    };
  }, [round]);
  if (!browserSupportsWebAuthn()) return null;
  return (
    <div class="stack">
      <p class="or">{t('passkeys.or')}</p>
      <FaultNotice fault={action.fault ?? fault} limited={action.limited} />
      <button type="button" class="wide" disabled={action.busy} onClick={() => void action.run()}>
        <Icon name="key" />
        {t('passkeys.use')}
      </button>
    </div>
  );
}

const OF_PASSKEY = ['wrong-passkey', 'invalid-challenge', 'suspended', 'rate-limited'];

const reload = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['passkeys'] });

export function Passkeys(): JSX.Element {
  const { data, error } = useQuery(passkeysQuery());
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">{t('passkeys.title')}</h2>
      <p>{t('passkeys.text')}</p>
      {error && <FaultNotice fault={toFault(error)} />}
      {data?.results.length === 0 && <p class="faint">{t('passkeys.none')}</p>}
      <ul class="list">
        {data?.results.map((passkey) => (
          <OnePasskey key={passkey.id} of={passkey} />
        ))}
      </ul>
      {browserSupportsWebAuthn() ? (
        <Disclosure label={t('passkeys.add')}>{(close) => <NewPasskey onDone={close} />}</Disclosure>
      ) : (
        <p class="faint">{t('passkeys.impossible')}</p>
      )}
    </section>
  );
}

function OnePasskey({ of: passkey }: { of: Passkey }): JSX.Element {
  return (
    <li class="split">
      <div>
        <p class="one-line" dir="auto">
          {passkey.name}
        </p>
        <p class="faint">
          {t('passkeys.created', { date: formatDate(passkey.createdAt) })}
          {' · '}
          {passkey.lastUsedAt === null
            ? t('keys.unused')
            : t('sessions.used', { date: formatMoment(passkey.lastUsedAt) })}
        </p>
      </div>
      <Deletion
        label={t('passkeys.remove')}
        name={t('passkeys.removeNamed', { name: passkey.name })}
        send={t('passkeys.confirm')}
        remove={async () => {
          await gone(client.deletePasskey(passkey.id));
          await reload();
          await loadUser();
          announce('done.passkeyRemoved');
        }}
      />
    </li>
  );
}

/** The password is needed where the login was long ago. */
function NewPasskey({ onDone }: { onDone: () => void }): JSX.Element {
  const empty = {
    name: browserName(navigator.userAgent).slice(0, 60),
    currentPassword: null as string | null,
  };
  const fields = useFields(empty, async ({ name, currentPassword }) => {
    const options = await begun(currentPassword, () => fields.change({ currentPassword: '' }));
    if (options === null) return;
    let made: Awaited<ReturnType<typeof startRegistration>>;
    try {
      made = await startRegistration({ optionsJSON: options });
    } catch (error) {
      throw refusal(error);
    }
    const { id, rawId, response } = made;
    const { clientDataJSON, attestationObject } = response;
    await client.createPasskey({
      name: name.trim(),
      id,
      rawId,
      type: 'public-key',
      response: { clientDataJSON, attestationObject },
    });
    await reload();
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    await loadUser();
    announce('done.passkey');
    onDone();
  });
  return (
    <ActionForm
      action={fields}
      send={t('passkeys.make')}
      onCancel={onDone}
      ready={fields.values.name.trim() !== '' && fields.values.currentPassword !== ''}
    >
      <TextField
        label={t('passkeys.name')}
        {...fields.tie('name')}
        hint={t('passkeys.nameHint')}
        maxLength={100}
      />
      {fields.values.currentPassword !== null && (
        <TextField
          label={t('account.currentPassword')}
          type="password"
          {...fields.tie('currentPassword')}
          autocomplete="current-password"
        />
      )}
      <p class="faint">{t('passkeys.ends')}</p>
    </ActionForm>
  );
}

/** Null if the password is needed, and was not given. */
async function begun(password: string | null, onNeeded: () => void): Promise<CreationOptions | null> {
  try {
    const options = await client.beginPasskey(password === null ? undefined : { currentPassword: password });
    return options as CreationOptions;
  } catch (error) {
    if (password !== null || toFault(error).slug !== 'wrong-password') throw error;
    onNeeded();
    return null;
  }
}
