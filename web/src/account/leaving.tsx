import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { messageAt } from '../data/faultText';
import { dropOutbox } from '../data/kept';
import { forget, user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { dropDraft } from '../post/draft';
import './words';

/** The export of the account as a file, and its deletion. */
export function Leaving(): JSX.Element {
  return (
    <>
      <Export />
      <Deletion />
    </>
  );
}

function Export(): JSX.Element {
  const action = useAction(
    async () => {
      const everything = await client.exportMe();
      const url = URL.createObjectURL(
        new Blob([JSON.stringify(everything, null, 2)], { type: 'application/json' }),
      );
      const link = document.createElement('a');
      link.href = url;
      link.download = 'export.json';
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    },
    { repeatable: true },
  );
  return (
    <section aria-labelledby="export">
      <h2 id="export">{t('export.title')}</h2>
      <p>{t('export.text')}</p>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <button type="button" disabled={action.busy} onClick={() => void action.run()}>
        {t('export.download')}
      </button>
    </section>
  );
}

function Deletion(): JSX.Element {
  return (
    <section aria-labelledby="deletion">
      <h2 id="deletion">{t('deletion.title')}</h2>
      <p>{t('deletion.text')}</p>
      <Disclosure label={t('deletion.start')} look="danger">
        {(close) => <DeletionForm onCancel={close} />}
      </Disclosure>
    </section>
  );
}

function DeletionForm({ onCancel }: { onCancel: () => void }): JSX.Element {
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    const owner = user.peek()?.id;
    await client.deleteMe({ currentPassword: password });
    forget();
    await dropDraft();
    if (owner !== undefined) await dropOutbox(owner);
    navigate('/', { replace: true });
    announce('done.account');
  });
  return (
    <ActionForm
      action={action}
      send={t('deletion.confirm')}
      onSend={() => void action.run()}
      onCancel={onCancel}
      ready={password !== ''}
      look="danger"
    >
      <TextField
        label={t('account.currentPassword')}
        type="password"
        value={password}
        onValue={setPassword}
        autocomplete="current-password"
        error={messageAt(action.fault, '/currentPassword')}
      />
    </ActionForm>
  );
}
