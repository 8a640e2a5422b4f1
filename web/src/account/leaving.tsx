import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { forget } from '../data/session';
import { TextField } from '../elements/field';
import { FaultNotice, tell } from '../elements/notice';
import { t } from '../i18n';
import { messageAt } from './enter';

/** Everything that is held about the account, as a file; and its end. */
export function Leaving(): JSX.Element {
  return (
    <>
      <Export />
      <Deletion />
    </>
  );
}

function Export(): JSX.Element {
  const action = useAction(async () => {
    const everything = await client.exportMe();
    const url = URL.createObjectURL(
      new Blob([JSON.stringify(everything, null, 2)], { type: 'application/json' }),
    );
    const link = document.createElement('a');
    link.href = url;
    link.download = 'export.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
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
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const action = useAction(
    async () => {
      await client.deleteMe({ currentPassword: password });
      forget();
      navigate('/', { replace: true });
      tell('done.account');
    },
    { repeatable: false },
  );
  return (
    <section aria-labelledby="deletion">
      <h2 id="deletion">{t('deletion.title')}</h2>
      <p>{t('deletion.text')}</p>
      {open ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void action.run();
          }}
        >
          <TextField
            label={t('account.currentPassword')}
            type="password"
            value={password}
            onValue={setPassword}
            autocomplete="current-password"
            error={messageAt(action.fault, '/currentPassword')}
          />
          <FaultNotice fault={action.fault} limited={action.limited} />
          <div class="buttons">
            <button type="submit" class="danger" disabled={action.busy || !password}>
              {t('deletion.confirm')}
            </button>
            <button type="button" onClick={() => setOpen(false)}>
              {t('form.cancel')}
            </button>
          </div>
        </form>
      ) : (
        <button type="button" class="danger" onClick={() => setOpen(true)}>
          {t('deletion.start')}
        </button>
      )}
    </section>
  );
}
