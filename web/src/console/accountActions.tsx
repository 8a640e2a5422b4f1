/** What administrators do to one account, and the mails that it got or did not get. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { navigate } from '../app/router';
import { useAction } from '../data/action';
import { type Account, client, type ExpelledContent, type MailAttempt } from '../data/client';
import { gone } from '../data/fault';
import { download } from '../data/files';
import { usePages } from '../data/query';
import { site } from '../data/site';
import { Disclosure } from '../elements/disclosure';
import { Select, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing } from '../elements/listing';
import { announce, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { isComplete, NO_REASONS, ReasonFields, toStatement } from '../review/reasons';
import { again } from './accounts';
import { mailsQuery } from './queries';

export function AccountActions({ of: account }: { of: Account }): JSX.Element {
  const plans = Object.keys(site.value?.plans ?? {});
  return (
    <>
      {account.role !== 'ADMIN' && (
        <Disclosure label={t('account.expel')} look="danger">
          {(close) => <Expulsion id={account.id} onDone={close} />}
        </Disclosure>
      )}
      {plans.length > 1 && (
        <Disclosure label={t('account.changePlan')}>
          {(close) => <PlanForm account={account} plans={plans} onDone={close} />}
        </Disclosure>
      )}
      <Export id={account.id} />
      {account.role !== 'ADMIN' && (
        <Disclosure label={t('account.delete')} look="danger">
          {(close) => <DeletionForm id={account.id} onCancel={close} />}
        </Disclosure>
      )}
    </>
  );
}

/** The reasons, then what would be removed, then the same in earnest. */
function Expulsion({ id, onDone }: { id: number; onDone: () => void }): JSX.Element {
  const [foreseen, setForeseen] = useState<ExpelledContent | null>(null);
  const fields = useFields(
    NO_REASONS,
    async (reasons, idempotencyKey) => {
      const expel = (dryRun: boolean): Promise<ExpelledContent> =>
        client.expelUser(id, { ...toStatement(reasons, false), dryRun }, { idempotencyKey });
      if (!foreseen) return setForeseen(await expel(true));
      await expel(false);
      again();
      announce('account.expelled');
      onDone();
    },
    { repeatable: true },
  );
  useEffect(() => setForeseen(null), [fields.values]);
  return (
    <ActionForm
      action={fields}
      send={foreseen ? t('account.expelNow') : t('console.preview')}
      onCancel={onDone}
      ready={isComplete(fields.values, false)}
      look={foreseen ? 'danger' : 'primary'}
    >
      <p>{t('account.expelText')}</p>
      <ReasonFields {...fields} suspends={false} />
      <div role="status">{foreseen && <strong>{t('account.wouldExpel', { ...foreseen })}</strong>}</div>
    </ActionForm>
  );
}

function PlanForm({
  account,
  plans,
  onDone,
}: {
  account: Account;
  plans: string[];
  onDone: () => void;
}): JSX.Element {
  const fields = useFields(
    { plan: account.plan },
    async (given) => {
      await client.updateUser(account.id, given);
      again();
      announce('console.done');
      onDone();
    },
    { repeatable: true },
  );
  return (
    <ActionForm action={fields} send={t('account.changePlan')} onCancel={onDone}>
      <Select
        label={t('account.plan')}
        {...fields.tie('plan')}
        choices={plans.map((value) => ({ value, label: value }))}
      />
    </ActionForm>
  );
}

function Export({ id }: { id: number }): JSX.Element {
  const action = useAction(
    async () => {
      download(
        `account-${id}.json`,
        'application/json',
        JSON.stringify(await client.exportUser(id), null, 2),
      );
    },
    { repeatable: true },
  );
  return (
    <>
      <button type="button" disabled={action.busy} onClick={() => void action.run()}>
        {t('account.export')}
      </button>
      <FaultNotice fault={action.fault} limited={action.limited} />
    </>
  );
}

function DeletionForm({ id, onCancel }: { id: number; onCancel: () => void }): JSX.Element {
  const fields = useFields(
    { currentPassword: '' },
    async (given) => {
      await gone(client.deleteUser(id, given));
      again();
      announce('console.deleted');
      navigate('/console/operations');
    },
    { repeatable: true },
  );
  return (
    <ActionForm
      action={fields}
      send={t('account.delete')}
      onCancel={onCancel}
      ready={fields.values.currentPassword !== ''}
      look="danger"
    >
      <p>{t('account.deleteText')}</p>
      <TextField
        label={t('console.ownPassword')}
        type="password"
        autocomplete="current-password"
        {...fields.tie('currentPassword')}
      />
    </ActionForm>
  );
}

const LOOKS: Record<string, string> = { sent: 'badge good', refused: 'badge bad' };

export function Mails({ id }: { id: number }): JSX.Element {
  return (
    <section aria-labelledby="mails">
      <h2 id="mails">{t('account.mails')}</h2>
      <Listing
        result={usePages(mailsQuery(id))}
        look="list"
        none={t('account.noMails')}
        each={(one: MailAttempt) => (
          <li key={one.id}>
            <p>
              <code>{one.letter}</code>{' '}
              <span class={LOOKS[one.outcome] ?? 'badge'}>{t(`account.outcome.${one.outcome}`)}</span>{' '}
              <span class="faint">{formatMoment(one.createdAt)}</span>
            </p>
            <p class="as-written" dir="auto">
              {one.answer}
            </p>
          </li>
        )}
      />
    </section>
  );
}
