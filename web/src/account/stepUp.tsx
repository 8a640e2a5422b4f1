/** Proves the second factor again, for what needs one of the last five minutes. */
import { browserSupportsWebAuthn } from '@simplewebauthn/browser';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { user } from '../data/session';
import { stepUp } from '../data/stepUp';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Icon } from '../elements/icon';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { CodeField } from './enter';
import { enterByPasskey } from './passkeys';
import './words';

export function StepUpDialog(): JSX.Element | null {
  const asked = stepUp.value;
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!box.current?.open) box.current?.showModal();
  }, []);
  /** The session that the proof begins takes the place of this one. */
  const replacing = async (begin: () => Promise<unknown>): Promise<void> => {
    const { results } = await client.listMySessions();
    await begin();
    const old = results.find((session) => session.current);
    if (old) void client.endMySession(old.id).catch(() => undefined); // It ends by itself, later.
    asked?.done(true);
  };
  const byCode = useFields({ code: '' }, async ({ code }) => {
    await replacing(() => client.completeLogin({ challenge: asked?.challenge ?? '', code }));
  });
  const byPasskey = useAction(async () => {
    await replacing(() => enterByPasskey({ only: user.peek()?.id ?? 0 }));
  });
  if (asked === null) return null;
  const { challenge, done } = asked;
  return (
    <dialog
      ref={box}
      class="dialog"
      aria-labelledby="step-up"
      onCancel={(event) => {
        event.preventDefault();
        done(false);
      }}
    >
      <h2 id="step-up">{t('stepUp.title')}</h2>
      <p>{t('stepUp.text')}</p>
      {challenge !== null && (
        <ActionForm
          action={byCode}
          send={t('stepUp.prove')}
          onCancel={() => done(false)}
          ready={byCode.values.code.trim() !== ''}
        >
          <CodeField {...byCode.tie('code')} />
        </ActionForm>
      )}
      {browserSupportsWebAuthn() && (
        <div class="stack">
          {challenge !== null && <p class="or">{t('passkeys.or')}</p>}
          <FaultNotice fault={byPasskey.fault} limited={byPasskey.limited} />
          <button
            type="button"
            class={challenge === null ? 'wide primary' : 'wide'}
            disabled={byPasskey.busy}
            onClick={() => void byPasskey.run()}
          >
            <Icon name="key" />
            {t('passkeys.use')}
          </button>
        </div>
      )}
      {challenge === null && (
        <button type="button" class="wide" onClick={() => done(false)}>
          {t('form.cancel')}
        </button>
      )}
    </dialog>
  );
}
