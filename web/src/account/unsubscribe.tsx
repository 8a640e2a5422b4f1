import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { address } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { user } from '../data/session';
import { ActionForm } from '../elements/form';
import { Page } from '../elements/page';
import { t } from '../i18n';
import './words';

/** `/unsubscribe?token=`. Opening it changes nothing, for programs open the links in mails. */
export function UnsubscribePage(): JSX.Element {
  const token = address.value.searchParams.get('token') ?? '';
  return <Unsubscribe key={token} token={token} />;
}

function Unsubscribe({ token }: { token: string }): JSX.Element {
  const [done, setDone] = useState(false);
  const action = useAction(
    async () => {
      await client.unsubscribe({ token });
      setDone(true);
    },
    { repeatable: true },
  );
  return (
    <Page title={t(done ? 'unsubscribe.doneTitle' : 'unsubscribe.title')} narrow>
      {done ? (
        <p role="status">{t('unsubscribe.done')}</p>
      ) : (
        <>
          <p>{t('unsubscribe.text')}</p>
          <ActionForm action={action} send={t('unsubscribe.confirm')} ready={token !== ''} />
        </>
      )}
      <p>
        <a href={user.value ? '/account/preferences' : '/'}>
          {t(user.value ? 'preferences.title' : 'notFound.home')}
        </a>
      </p>
    </Page>
  );
}
