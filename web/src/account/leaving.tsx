import type { JSX } from 'preact';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { download } from '../data/files';
import { dropOutbox } from '../data/kept';
import { forget, user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { dropDraft } from '../post/draft';
import { confirmedBy } from './confirmed';
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
      download('export.json', 'application/json', JSON.stringify(await client.exportMe(), null, 2));
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
  const fields = useFields({ currentPassword: '' }, async ({ currentPassword }) => {
    const owner = user.peek()?.id;
    await client.deleteMe(confirmedBy(currentPassword));
    forget();
    await dropDraft();
    if (owner !== undefined) await dropOutbox(owner);
    navigate('/', { replace: true });
    announce('done.account');
  });
  return (
    <ActionForm action={fields} send={t('deletion.confirm')} onCancel={onCancel} look="danger">
      <TextField
        label={t('account.currentPassword')}
        type="password"
        {...fields.tie('currentPassword')}
        autocomplete="current-password"
      />
    </ActionForm>
  );
}
