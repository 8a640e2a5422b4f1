/** Accounts, found by their names, and the actions of administrators. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { newKey, useAction } from '../data/action';
import { type AccountSummary, client } from '../data/client';
import { accountsQuery, forgetLists } from '../data/queries';
import { queryClient, usePages } from '../data/query';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { Listing } from '../elements/listing';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatDate } from '../i18n/format';
import { NO_REASONS, ReasonFields, toStatement } from '../review/reasons';
import { forgetConsole } from './queries';
import '../account/words';

export function Accounts(): JSX.Element {
  // In the address, so that a reload shows the same result.
  const query = address.value.searchParams.get('q') ?? '';
  const [words, setWords] = useState(query);
  return (
    <section aria-label={t('accounts.title')}>
      <form
        class="console-filters"
        onSubmit={(event) => {
          event.preventDefault();
          const q = words.trim();
          navigate(`/console/accounts${q && `?q=${encodeURIComponent(q)}`}`, { keep: true });
        }}
      >
        <TextField label={t('accounts.search')} value={words} onValue={setWords} />
        <button type="submit">{t('search.button')}</button>
      </form>
      <Found words={query} />
    </section>
  );
}

function Found({ words }: { words: string }): JSX.Element {
  const result = usePages(accountsQuery(words));
  return (
    <Listing
      result={result}
      look="console-list accounts"
      none={t('accounts.none')}
      each={(account: AccountSummary) => <Row key={account.id} account={account} />}
    />
  );
}

function again(): void {
  void queryClient.invalidateQueries({ queryKey: ['accounts'] });
  void forgetConsole('account');
  forgetLists();
}

function Row({ account }: { account: AccountSummary }): JSX.Element {
  const suspended = account.status === 'suspended';
  return (
    <li class="console-row">
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
  const [reasons, setReasons] = useState(NO_REASONS);
  const action = useAction(
    async (idempotencyKey: string) => {
      await client.suspendUser(id, toStatement(reasons, true), { idempotencyKey });
      again();
      announce('done.suspend');
      onDone();
    },
    { repeatable: true },
  );
  return (
    <ActionForm
      action={action}
      send={t('accounts.suspend')}
      onSend={() => void action.run(newKey())}
      onCancel={onDone}
      ready={reasons.explanation.trim() !== ''}
      look="danger"
    >
      <ReasonFields reasons={reasons} onChange={setReasons} suspends fault={action.fault} />
    </ActionForm>
  );
}
