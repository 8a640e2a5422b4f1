/** Accounts, found by their names, and the actions of administrators. */
import type { JSX } from 'preact';
import { newKey, useAction } from '../data/action';
import { type AccountSummary, client } from '../data/client';
import { type AccountsQuery, accountsQuery, forgetLists } from '../data/queries';
import { queryClient, usePages } from '../data/query';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing } from '../elements/listing';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { isComplete, NO_REASONS, ReasonFields, toStatement } from '../review/reasons';
import { asWords, type Filters, ListPage } from './listPage';
import { forgetConsole } from './queries';
import '../account/words';

const FILTERS: Filters<AccountsQuery> = { q: { label: 'accounts.search', read: asWords } };

export function Accounts(): JSX.Element {
  return <ListPage label={t('accounts.title')} filters={FILTERS} list={Found} />;
}

function Found({ query }: { query: AccountsQuery }): JSX.Element {
  return (
    <Listing
      result={usePages(accountsQuery(query))}
      look="list accounts"
      none={t('accounts.none')}
      each={(account: AccountSummary) => <Row key={account.id} account={account} />}
    />
  );
}

/** What is shown of accounts is loaded again. */
export function again(): void {
  void queryClient.invalidateQueries({ queryKey: ['accounts'] });
  void forgetConsole('account');
  forgetLists();
}

function Row({ account }: { account: AccountSummary }): JSX.Element {
  const suspended = account.status === 'suspended';
  return (
    <li class="split">
      <div>
        <p>
          <a href={`/console/accounts/${account.id}`}>{account.email}</a>{' '}
          {account.role !== 'USER' && <span class="badge">{t(`console.role.${account.role}`)}</span>}{' '}
          {suspended && <span class="badge bad">{t('account.suspended')}</span>}
        </p>
        <p class="faint">{about(account)}</p>
      </div>
      <Standing account={account} />
    </li>
  );
}

/** What an administrator may do to an account. */
export function Standing({ account }: { account: AccountSummary }): JSX.Element {
  const suspended = account.status === 'suspended';
  const mayBeSuspended = account.role !== 'ADMIN' && account.id !== user.value?.id;
  return (
    <>
      {suspended && <Restoration account={account} />}
      {!suspended && mayBeSuspended && (
        <Disclosure
          label={t('accounts.suspend')}
          name={t('accounts.suspendNamed', { name: account.email })}
          look="danger"
        >
          {(close) => <Suspension id={account.id} onDone={close} />}
        </Disclosure>
      )}
    </>
  );
}

export function about({ firstName, createdAt, ads, suspendedUntil }: AccountSummary): string {
  return [
    firstName,
    t('review.since', { date: formatDate(createdAt) }),
    t('results.count', { count: ads }),
    suspendedUntil !== null && t('decision.until', { date: formatDate(suspendedUntil) }),
  ]
    .filter(Boolean)
    .join(' · ');
}

function Restoration({ account: { id, email } }: { account: AccountSummary }): JSX.Element {
  const action = useAction(
    async (idempotencyKey: string) => {
      await client.restoreUser(id, { idempotencyKey });
      again();
      announce('done.restore');
    },
    { repeatable: true },
  );
  return (
    <>
      <button
        type="button"
        aria-label={t('accounts.restoreNamed', { name: email })}
        disabled={action.busy || action.limited !== null}
        onClick={() => void action.run(newKey())}
      >
        {t('accounts.restore')}
      </button>
      <FaultNotice fault={action.fault} limited={action.limited} />
    </>
  );
}

function Suspension({ id, onDone }: { id: number; onDone: () => void }): JSX.Element {
  const fields = useFields(
    NO_REASONS,
    async (reasons, idempotencyKey) => {
      await client.suspendUser(id, toStatement(reasons, true), { idempotencyKey });
      again();
      announce('done.suspend');
      onDone();
    },
    { repeatable: true },
  );
  return (
    <ActionForm
      action={fields}
      send={t('accounts.suspend')}
      onCancel={onDone}
      ready={isComplete(fields.values, true)}
      look="danger"
    >
      <ReasonFields {...fields} suspends />
    </ActionForm>
  );
}
