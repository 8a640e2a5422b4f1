import type { JSX } from 'preact';
import { Empty } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';

export function NotFoundPage(): JSX.Element {
  return (
    <Page title={t('notFound.title')} narrow>
      <Empty text={t('notFound.text')} to={{ href: '/', text: t('notFound.home') }} />
    </Page>
  );
}
