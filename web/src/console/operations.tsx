/** What administrators do for a time, or undo: maintenance, access rules, and deletions. */
import type { JSX } from 'preact';
import { useAction } from '../data/action';
import { type AccessRule, client, type Deletion as DeletionRecord, type Maintenance } from '../data/client';
import { gone } from '../data/fault';
import { usePages, useQuery } from '../data/query';
import { Deletion } from '../elements/deletion';
import { Disclosure } from '../elements/disclosure';
import { Select, TextArea, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing, Loaded } from '../elements/listing';
import { announce, Empty, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { accessRulesQuery, deletionsQuery, forgetConsole, maintenanceQuery } from './queries';

const MODES = ['off', 'read-only', 'on'] as const;
const FOREVER = 3650;
const NO_RULE = 1;

export function OperationsPart(): JSX.Element {
  return (
    <>
      <section aria-labelledby="maintenance">
        <h2 id="maintenance">{t('upkeep.maintenance')}</h2>
        <Loaded result={useQuery(maintenanceQuery())}>
          {(state) => <MaintenanceForm key={JSON.stringify(state)} of={state} />}
        </Loaded>
      </section>
      <section aria-labelledby="rules">
        <h2 id="rules">{t('upkeep.rules')}</h2>
        <Disclosure label={t('upkeep.newRule')}>{(close) => <RuleForm onDone={close} />}</Disclosure>
        <Loaded result={useQuery(accessRulesQuery())}>{({ results }) => <Rules of={results} />}</Loaded>
      </section>
      <section aria-labelledby="deletions">
        <h2 id="deletions">{t('upkeep.deletions')}</h2>
        <Listing
          result={usePages(deletionsQuery())}
          look="list"
          none={t('upkeep.noDeletions')}
          each={(one: DeletionRecord) => <OneDeletion key={one.id} of={one} />}
        />
      </section>
    </>
  );
}

function MaintenanceForm({ of: { mode, text, retryAfter } }: { of: Maintenance }): JSX.Element {
  const initial = {
    mode: MODES.find((one) => one === mode) ?? 'off',
    text,
    retryAfter: String(retryAfter),
  };
  const fields = useFields(
    initial,
    async (given) => {
      await client.changeMaintenance({ ...given, retryAfter: Number(given.retryAfter) });
      announce('console.done');
      await forgetConsole('maintenance');
    },
    { repeatable: true },
  );
  return (
    <ActionForm action={fields} send={t('console.save')} label={t('upkeep.maintenance')}>
      <Select
        label={t('upkeep.mode')}
        {...fields.tie('mode')}
        choices={MODES.map((value) => ({ value, label: t(`upkeep.mode.${value}`) }))}
      />
      <TextArea
        label={t('upkeep.text')}
        hint={t('upkeep.textHint')}
        {...fields.tie('text')}
        rows={2}
        maxLength={500}
        optional
      />
      <TextField label={t('upkeep.retryAfter')} {...fields.tie('retryAfter')} inputMode="numeric" />
    </ActionForm>
  );
}

function RuleForm({ onDone }: { onDone: () => void }): JSX.Element {
  const fields = useFields(
    { subject: '', factor: '0', days: '7', note: '' },
    async ({ factor, days, ...given }) => {
      await client.changeAccessRule({ ...given, factor: Number(factor), days: Number(days) });
      announce('console.done');
      await forgetConsole('rules');
      onDone();
    },
    { repeatable: true },
  );
  return (
    <ActionForm
      action={fields}
      send={t('console.save')}
      onCancel={onDone}
      ready={fields.values.subject.trim() !== ''}
    >
      <TextField label={t('upkeep.subject')} hint={t('upkeep.subjectHint')} {...fields.tie('subject')} />
      <TextField
        label={t('upkeep.factor')}
        hint={t('upkeep.factorHint')}
        {...fields.tie('factor')}
        inputMode="numeric"
      />
      <TextField label={t('upkeep.days')} {...fields.tie('days')} inputMode="numeric" max={FOREVER} />
      <TextField label={t('upkeep.note')} {...fields.tie('note')} maxLength={200} optional />
    </ActionForm>
  );
}

function Rules({ of: rules }: { of: readonly AccessRule[] }): JSX.Element {
  if (rules.length === 0) return <Empty text={t('upkeep.noRules')} />;
  return (
    <ul class="list">
      {rules.map((rule) => (
        <OneRule key={rule.subject} of={rule} />
      ))}
    </ul>
  );
}

function OneRule({ of: { subject, factor, until, note } }: { of: AccessRule }): JSX.Element {
  const removing = useAction(
    async () => {
      await client.changeAccessRule({ subject, factor: NO_RULE });
      announce('console.done');
      await forgetConsole('rules');
    },
    { repeatable: true },
  );
  return (
    <li class="split">
      <div>
        <p>
          <code>{subject}</code>{' '}
          <span class={factor === 0 ? 'badge bad' : 'badge'}>
            {factor === 0 ? t('upkeep.refused') : t('upkeep.times', { factor })}
          </span>
        </p>
        <p class="faint" dir="auto">
          {[t('upkeep.until', { date: formatMoment(until) }), note].filter(Boolean).join(' · ')}
        </p>
        <FaultNotice fault={removing.fault} limited={removing.limited} />
      </div>
      <button
        type="button"
        aria-label={t('upkeep.removeRule', { name: subject })}
        disabled={removing.busy}
        onClick={() => void removing.run()}
      >
        {t('upkeep.remove')}
      </button>
    </li>
  );
}

function OneDeletion({ of: one }: { of: DeletionRecord }): JSX.Element {
  const name = `${one.label || t(`kind.${one.kind}`)} #${one.targetId}`;
  const undoing = useAction(async () => {
    await client.undoDeletion(one.id);
    announce('console.done');
    await forgetConsole('deletions');
  });
  return (
    <li class="split">
      <div>
        <p dir="auto">{name}</p>
        <p class="faint">
          {t(`kind.${one.kind}`)} · {formatMoment(one.createdAt)} · {t('console.byWhom', { name: one.actor })}{' '}
          · {t('upkeep.final', { date: formatMoment(one.endsAt) })}
        </p>
        <FaultNotice fault={undoing.fault} limited={undoing.limited} />
      </div>
      <div class="buttons">
        <button
          type="button"
          aria-label={t('upkeep.undoNamed', { name })}
          disabled={undoing.busy}
          onClick={() => void undoing.run()}
        >
          {t('site.undo')}
        </button>
        <Deletion
          label={t('upkeep.purge')}
          name={t('upkeep.purgeNamed', { name })}
          look="plain"
          send={t('upkeep.purge')}
          remove={async () => {
            await gone(client.purgeDeletion(one.id));
            announce('console.deleted');
            await forgetConsole('deletions');
          }}
        >
          <p>{t('console.sure')}</p>
        </Deletion>
      </div>
    </li>
  );
}
