import { Component, type ComponentChildren } from 'preact';
import { Page } from '../elements/page';
import { t } from '../i18n';

/** When a page fails, the rest stays and offers a way on. */
export class Boundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ComponentChildren {
    if (!this.state.failed) return this.props.children;
    return (
      <Page title={t('problem.title')} narrow>
        <p>{t('problem.unknown')}</p>
        <p>
          <a href="/">{t('notFound.home')}</a>
        </p>
      </Page>
    );
  }
}
