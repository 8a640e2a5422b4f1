import type { JSX } from 'preact';
import { address, navigate } from '../app/router';
import { Page } from '../elements/page';
import { t } from '../i18n';

/** Where an account is needed: leads to logging in, and back here. */
export function EnterFirst({ title }: { title: string }): JSX.Element {
  const next = encodeURIComponent(address.value.pathname);
  return (
    <Page title={title} narrow>
      <p>{t('enter.first')}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => navigate(`/account/login?next=${next}`)}>
          {t('enter.login')}
        </button>
        <button type="button" onClick={() => navigate(`/account/register?next=${next}`)}>
          {t('enter.register')}
        </button>
      </div>
    </Page>
  );
}
