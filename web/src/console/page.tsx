/** The console: what administrators see of the site. Each part has its address. */
import type { ComponentType, JSX } from 'preact';
import '../styles/console.css';
import { SignedIn } from '../account/enterFirst';
import { NotFoundPage } from '../app/notFound';
import type { PageProps } from '../app/router';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { AccountById } from './account';
import { Accounts } from './accounts';
import { AdsPart } from './ads';
import { Audit } from './audit';
import { Categories } from './categories';
import { MailsPart } from './mails';
import { ConsoleNavigation, type PartName, TITLES } from './navigation';
import { Jobs, Outbox, SettingsPart } from './operation';
import { OperationsPart } from './operations';
import { OverviewPart } from './overview';
import { ProvidersPart } from './providers';
import { SitePart } from './site';
import { PagesPart } from './sitePages';
import { KeysPart, WebhooksPart } from './webhooks';
import './words';

const PARTS: Record<PartName, ComponentType> = {
  '': OverviewPart,
  ads: AdsPart,
  accounts: Accounts,
  categories: Categories,
  site: SitePart,
  providers: ProvidersPart,
  operations: OperationsPart,
  mails: MailsPart,
  pages: PagesPart,
  audit: Audit,
  outbox: Outbox,
  jobs: Jobs,
  keys: KeysPart,
  webhooks: WebhooksPart,
  settings: SettingsPart,
};

export function ConsolePage({ parameters }: PageProps): JSX.Element {
  const name = parameters.part ?? '';
  const part = TITLES.find(([one]) => one === name);
  if (!part) return <NotFoundPage />;
  const [known, title] = part;
  const Part = PARTS[known];
  const id = Number(parameters.id);
  const isAccount = parameters.id !== undefined;
  if (isAccount && !(name === 'accounts' && Number.isSafeInteger(id) && id > 0)) return <NotFoundPage />;
  const heading = name === '' ? t('console.title') : t(title);
  return (
    <SignedIn title={heading}>
      {({ role }) =>
        role === 'ADMIN' ? (
          <div class="console office">
            <ConsoleNavigation current={name} />
            <Page title={heading}>{isAccount ? <AccountById key={id} id={id} /> : <Part />}</Page>
          </div>
        ) : (
          <Page title={heading}>
            <p>{t('admin.only')}</p>
          </Page>
        )
      }
    </SignedIn>
  );
}
