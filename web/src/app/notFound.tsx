import type { JSX } from 'preact';
import { Page } from '../elements/page';
import { t } from '../i18n';

export function NotFoundPage(): JSX.Element {
  return (
    <Page title={t('notFound.title')} narrow>
      <p>{t('notFound.text')}</p>
      <p>
        <a href="/">{t('notFound.home')}</a>
      </p>
    </Page>
  );
}
