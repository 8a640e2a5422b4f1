/** Feeds of one's own ads: a file is sent, and what becomes of its rows. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { useAction } from '../data/action';
import { client, type Import, type ImportedRow, type ImportedRows, type Imports } from '../data/client';
import { download } from '../data/files';
import { forgetLists, type Options, paged } from '../data/queries';
import { type PagesOptions, queryClient, usePages, useQuery } from '../data/query';
import { Check, Field } from '../elements/field';
import { ActionForm } from '../elements/form';
import { Listing, Loaded } from '../elements/listing';
import { Empty, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import '../post/words';

const RUNNING = 2000;

const isRunning = ({ status }: Import): boolean => status === 'running';

const importsQuery = (): Options<Imports> => ({
  queryKey: ['imports'],
  queryFn: ({ signal }) => client.listImports({ signal }),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.results.some(isRunning) ? RUNNING : false),
});

const refusedQuery = (id: number): PagesOptions<ImportedRows> =>
  paged(['imports', id, 'failed'], (from, options) =>
    client.listImportRows(id, { status: 'failed', ...from }, options),
  );

async function forgetImports(): Promise<void> {
  forgetLists();
  await queryClient.invalidateQueries({ queryKey: ['imports'] });
}

export function ImportsPage(): JSX.Element {
  return (
    <SignedIn title={t('imports.title')}>
      {() => (
        <Page title={t('imports.title')} narrow>
          <p>{t('imports.intro')}</p>
          <Example />
          <Feed />
          <Loaded result={useQuery(importsQuery())}>
            {({ results }) =>
              results.length === 0 ? (
                <Empty text={t('imports.none')} />
              ) : (
                <ul class="searches">
                  {results.map((one) => (
                    <OneImport key={one.id} of={one} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Page>
      )}
    </SignedIn>
  );
}

function Example(): JSX.Element {
  const action = useAction(async () => {
    download('ads.csv', 'text/csv', await (await client.exportMyAds()).text());
  });
  return (
    <>
      <button type="button" disabled={action.busy} onClick={() => void action.run()}>
        {t('imports.example')}
      </button>
      <FaultNotice fault={action.fault} limited={action.limited} />
    </>
  );
}

function Feed(): JSX.Element {
  const [file, setFile] = useState<File | null>(null);
  const [full, setFull] = useState(false);
  const [dryRun, setDryRun] = useState(true);
  const action = useAction(async () => {
    if (!file) return;
    await client.createImport(file, { mode: full ? 'full' : 'partial', dryRun });
    await forgetImports();
  });
  return (
    <section class="panel">
      <ActionForm action={action} send={t('imports.send')} ready={file !== null}>
        <Field label={t('imports.file')}>
          {(given) => (
            <input
              {...given}
              type="file"
              accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
              onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
            />
          )}
        </Field>
        <Check label={t('imports.full')} value={full} onValue={setFull} />
        <Check label={t('imports.dryRun')} value={dryRun} onValue={setDryRun} />
      </ActionForm>
    </section>
  );
}

const OUTCOMES = ['created', 'updated', 'unchanged', 'withdrawn', 'failed'] as const;

function OneImport({ of: one }: { of: Import }): JSX.Element {
  const { id, rows, pending, failed } = one;
  const action = useAction(async () => {
    await client.confirmImport(id);
    await forgetImports();
  });
  return (
    <li class="panel">
      <article aria-labelledby={`import-${id}`}>
        <h2 id={`import-${id}`}>
          {t(one.dryRun ? 'imports.checked' : 'imports.at', { date: formatMoment(one.createdAt) })}
        </h2>
        <p role="status">{t(`imports.${one.status}`, { done: Math.max(0, rows - pending), all: rows })}</p>
        {isRunning(one) && <progress value={rows - pending} max={rows} aria-hidden="true" />}
        <dl class="facts">
          {OUTCOMES.filter((name) => one[name] > 0).map((name) => (
            <div key={name}>
              <dt>{t(`imports.${name}`)}</dt>
              <dd>{one[name]}</dd>
            </div>
          ))}
        </dl>
        {one.status === 'waiting' && (
          <button type="button" disabled={action.busy} onClick={() => void action.run()}>
            {t('imports.confirm')}
          </button>
        )}
        <FaultNotice fault={action.fault} limited={action.limited} />
        {failed > 0 && <Refused id={id} />}
      </article>
    </li>
  );
}

function Refused({ id }: { id: number }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('imports.faults')}</summary>
      {open && <RefusedRows id={id} />}
    </details>
  );
}

function RefusedRows({ id }: { id: number }): JSX.Element {
  return (
    <Listing
      result={usePages(refusedQuery(id))}
      look="list"
      none={t('imports.none')}
      each={({ row, externalId, errors }: ImportedRow) => (
        <li key={row}>
          <strong>{t('imports.row', { row })}</strong> {externalId && <code>{externalId}</code>}
          {errors.map((fault) => (
            <p key={`${fault.pointer}${fault.code}`} class="faint" dir="auto">
              {fault.pointer && <code>{fault.pointer.slice(1)}</code>} {fault.detail}
            </p>
          ))}
        </li>
      )}
    />
  );
}
