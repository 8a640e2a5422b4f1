/** One account: who it is, how it logs in, what was reported and decided about it. */
import type { ComponentChildren, JSX } from 'preact';
import { browserName } from '../account/sessions';
import { type Account, client, type Role, valuesOf } from '../data/client';
import { queryClient, useQuery } from '../data/query';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { Select, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Loaded } from '../elements/listing';
import { announce } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { DecisionText } from '../review/decision';
import { AccountActions, Mails } from './accountActions';
import { about, Standing } from './accounts';
import { accountQuery, forgetConsole } from './queries';
import '../account/words';

const ROLES = valuesOf<Role>({ USER: true, MODERATOR: true, ADMIN: true });

export function AccountById({ id }: { id: number }): JSX.Element {
  return <Loaded result={useQuery(accountQuery(id))}>{(account) => <Shown of={account} />}</Loaded>;
}

function Shown({ of: account }: { of: Account }): JSX.Element {
  return (
    <>
      <section aria-labelledby="who">
        <h2 id="who">{account.email}</h2>
        <p>
          <span class={account.status === 'suspended' ? 'badge bad' : 'badge good'}>
            {t(`account.${account.status}`)}
          </span>{' '}
          <span class="badge">{t(`console.role.${account.role}`)}</span>{' '}
          <span class="faint">{about(account)}</span>
        </p>
        <p class="row">
          <a href={`/console/ads?author=${account.id}`}>{t('console.theirAds')}</a>{' '}
          <a href={`/console/audit?user=${account.id}`}>{t('console.theirEvents')}</a>
        </p>
        <div class="buttons">
          <Standing account={account} />
          {account.id !== user.value?.id && (
            <Disclosure label={t('console.changeRole')}>
              {(close) => <RoleForm account={account} onDone={close} />}
            </Disclosure>
          )}
          {account.id !== user.value?.id && <AccountActions of={account} />}
        </div>
      </section>
      <dl class="facts">
        <div>
          <dt>{t('console.mail')}</dt>
          <dd>
            {account.mail ?? t('console.noMail')}{' '}
            {account.mail !== null && (
              <span class="badge">
                {t(account.mailVerified ? 'console.verified' : 'console.notVerified')}
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>{t('console.factors')}</dt>
          <dd>{factors(account)}</dd>
        </div>
        <div>
          <dt>{t('account.plan')}</dt>
          <dd>{account.plan}</dd>
        </div>
      </dl>
      <Part
        id="sessions"
        title={t('console.sessions')}
        none={t('console.noSessions')}
        rows={account.sessions.map((session) => (
          <li key={session.id}>
            {browserName(session.client) || t('sessions.unknown')}{' '}
            <span class="faint">{t('console.used', { date: formatMoment(session.lastUsedAt) })}</span>
          </li>
        ))}
      />
      <Mails id={account.id} />
      <Part
        id="cases"
        title={t('console.cases')}
        none={t('console.noCases')}
        rows={account.cases.map((one) => (
          <li key={one.id}>
            <a href={`/review/${one.id}`} dir="auto">
              {one.snapshot.title || one.snapshot.text || `#${one.id}`}
            </a>{' '}
            <span class="faint">
              {t(`kind.${one.kind}`)} · {t(`case.${one.status}`)} · {formatMoment(one.createdAt)}
            </span>
          </li>
        ))}
      />
      <Part
        id="decisions"
        title={t('review.decisions')}
        none={t('console.noDecisions')}
        rows={account.decisions.map((decision) => (
          <li key={decision.id}>
            <DecisionText decision={decision} />
          </li>
        ))}
      />
    </>
  );
}

function factors({ totp, passkeys }: Account): string {
  const found = [totp && t('console.app'), passkeys > 0 && t('console.passkeys', { count: passkeys })];
  return found.filter(Boolean).join(', ') || t('console.noFactor');
}

function Part({
  id,
  title,
  none,
  rows,
}: {
  id: string;
  title: string;
  none: string;
  rows: ComponentChildren[];
}): JSX.Element {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {rows.length > 0 ? <ul class="list">{rows}</ul> : <p class="faint">{none}</p>}
    </section>
  );
}

function RoleForm({ account, onDone }: { account: Account; onDone: () => void }): JSX.Element {
  const fields = useFields(
    { role: account.role, currentPassword: '' },
    async (given) => {
      await client.updateUser(account.id, given);
      void queryClient.invalidateQueries({ queryKey: ['accounts'] });
      await forgetConsole('account', account.id);
      announce('console.roleChanged');
      onDone();
    },
    { repeatable: true },
  );
  return (
    <ActionForm
      action={fields}
      send={t('console.changeRole')}
      onCancel={onDone}
      ready={fields.values.currentPassword !== '' && fields.values.role !== account.role}
    >
      <Select
        label={t('console.role')}
        {...fields.tie('role')}
        choices={ROLES.map((value) => ({ value, label: t(`console.role.${value}`) }))}
      />
      <TextField
        label={t('console.ownPassword')}
        type="password"
        autocomplete="current-password"
        {...fields.tie('currentPassword')}
      />
    </ActionForm>
  );
}
