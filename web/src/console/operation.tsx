/** The outbox, the jobs, and the settings in force. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { address } from '../app/router';
import { useAction } from '../data/action';
import { client, type Job, type OutboxEntry, type SettingList } from '../data/client';
import { gone } from '../data/fault';
import { usePages, useQuery } from '../data/query';
import { Deletion } from '../elements/deletion';
import { Check, TextField } from '../elements/field';
import { Listing, Loaded } from '../elements/listing';
import { announce, Empty, FaultNotice } from '../elements/notice';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { type EntryStatus, forgetConsole, jobsQuery, outboxQuery, settingsQuery } from './queries';

const STATUSES: readonly EntryStatus[] = ['waiting', 'dead'];

export function Outbox(): JSX.Element {
  const wanted = address.value.searchParams.get('status');
  const status = STATUSES.find((one) => one === wanted) ?? 'waiting';
  return (
    <>
      <Tabs
        label={t('console.status')}
        tabs={STATUSES.map((one) => ({
          href: `/console/outbox?status=${one}`,
          text: t(`console.entry.${one}`),
          current: one === status,
        }))}
      />
      <Entries key={status} status={status} />
    </>
  );
}

function Entries({ status }: { status: EntryStatus }): JSX.Element {
  return (
    <Listing
      result={usePages(outboxQuery(status))}
      look="list"
      none={t(status === 'dead' ? 'console.noDead' : 'console.noEntries')}
      each={(entry: OutboxEntry) => <Entry key={entry.id} of={entry} />}
    />
  );
}

function Entry({ of: entry }: { of: OutboxEntry }): JSX.Element {
  const name = `${entry.kind} #${entry.id}`;
  const retrying = useAction(
    async () => {
      await client.retryOutboxEntry(entry.id);
      announce('console.done');
      await forgetConsole('outbox');
    },
    { repeatable: true },
  );
  return (
    <li class="split">
      <div>
        <p>
          <code>{entry.kind}</code> #{entry.id}
        </p>
        <p class="faint">
          {formatMoment(entry.createdAt)} · {t('console.attempts', { count: entry.attempts })}
          {entry.status === 'waiting' && ` · ${t('console.next', { date: formatMoment(entry.notBefore) })}`}
        </p>
        {entry.error !== null && <p class="as-written error">{entry.error}</p>}
        <FaultNotice fault={retrying.fault} limited={retrying.limited} />
      </div>
      <div class="buttons">
        {entry.status === 'dead' && (
          <button
            type="button"
            aria-label={t('console.retryNamed', { name })}
            disabled={retrying.busy}
            onClick={() => void retrying.run()}
          >
            {t('console.retry')}
          </button>
        )}
        <NamedDeletion
          name={name}
          remove={async () => {
            await gone(client.deleteOutboxEntry(entry.id));
            await forgetConsole('outbox');
          }}
        />
      </div>
    </li>
  );
}

/** Deletes what has that name in the console. */
export function NamedDeletion({ name, remove }: { name: string; remove: () => Promise<void> }): JSX.Element {
  return (
    <Deletion
      label={t('step.delete')}
      name={t('console.deleteNamed', { name })}
      look="plain"
      send={t('console.yesDelete')}
      remove={async () => {
        await remove();
        announce('console.deleted');
      }}
    >
      <p>{t('console.sure')}</p>
    </Deletion>
  );
}

export function Jobs(): JSX.Element {
  return (
    <Loaded result={useQuery(jobsQuery())}>
      {({ results }) => (
        <ul class="list">
          {results.map((job) => (
            <OneJob key={job.name} of={job} />
          ))}
        </ul>
      )}
    </Loaded>
  );
}

function OneJob({ of: { name, lastSuccess, lastFailure, running } }: { of: Job }): JSX.Element {
  const action = useAction(
    async () => {
      await client.runJob(name);
      announce('console.requested');
      await forgetConsole('jobs');
    },
    { repeatable: true },
  );
  const at = (moment: number | null): string => (moment === null ? t('console.never') : formatMoment(moment));
  const failing = lastFailure !== null && lastFailure > (lastSuccess ?? 0);
  return (
    <li class="split">
      <div>
        <p>
          <code>{name}</code> {running && <span class="badge good">{t('console.running')}</span>}
          {failing && <span class="badge bad">{t('console.failing')}</span>}
        </p>
        <p class="faint">
          {t('console.lastSuccess')}: {at(lastSuccess)} · {t('console.lastFailure')}: {at(lastFailure)}
        </p>
        <FaultNotice fault={action.fault} limited={action.limited} />
      </div>
      <button
        type="button"
        aria-label={t('console.runNamed', { name })}
        disabled={action.busy || running}
        onClick={() => void action.run()}
      >
        {t('console.run')}
      </button>
    </li>
  );
}

export function SettingsPart(): JSX.Element {
  return <Loaded result={useQuery(settingsQuery())}>{({ results }) => <Settings of={results} />}</Loaded>;
}

function Settings({ of: all }: { of: SettingList['results'] }): JSX.Element {
  const [words, setWords] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const wanted = words.trim().toLowerCase();
  const found = all.filter(
    ({ name, value, source }) =>
      (!onlySet || source !== 'default') && `${name} ${value ?? ''}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div class="console-filters">
        <TextField label={t('console.findSetting')} value={words} onValue={setWords} />
        <Check label={t('console.onlySet')} value={onlySet} onValue={setOnlySet} />
      </div>
      {found.length === 0 && <Empty text={t('console.noSettings')} />}
      <ul class="list settings">
        {found.map(({ name, value, default: usual, source }) => (
          <li key={name} class="console-pair">
            <p>
              <code>{name}</code>{' '}
              {source !== 'default' && <span class="badge">{t(`console.source.${source}`)}</span>}
            </p>
            <div>
              <p class="as-written" dir="auto">
                {value === null ? (
                  <span class="faint">{t(source === 'default' ? 'console.unset' : 'console.secret')}</span>
                ) : (
                  value || '–'
                )}
              </p>
              {usual !== null && usual !== value && (
                <p class="faint">
                  {t('console.default')}: {usual || '–'}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
