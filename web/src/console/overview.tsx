import type { ComponentChildren, JSX } from 'preact';
import type { Growth, Overview } from '../data/client';
import { useQuery } from '../data/query';
import { Curve } from '../elements/curve';
import { Loaded } from '../elements/listing';
import { t } from '../i18n';
import { formatAge, formatMoment, formatNumber } from '../i18n/format';
import { newestAccountsQuery, newestAdsQuery, overviewQuery } from './queries';

/** What waits comes first, and what waits for a person has a colour. */
export function OverviewPart(): JSX.Element {
  return <Loaded result={useQuery(overviewQuery())}>{(data) => <Shown of={data} />}</Loaded>;
}

function Shown({ of: data }: { of: Overview }): JSX.Element {
  const ads = useQuery(newestAdsQuery());
  const accounts = useQuery(newestAccountsQuery());
  // Directories of one disk have the same space.
  const disks = new Map<number, string[]>();
  for (const { name, free } of data.disks) {
    const gigabytes = Math.round(free / 1e8) / 10;
    disks.set(gigabytes, [...(disks.get(gigabytes) ?? []), name]);
  }
  return (
    <>
      {data.outOfService.length > 0 && (
        <p class="notice bad" role="alert">
          {t('console.outOfService', { names: data.outOfService.join(', ') })}
        </p>
      )}
      <Waiting of={data} />
      <section aria-labelledby="grows">
        <h2 id="grows">{t('console.grows')}</h2>
        <ul class="tiles wide">
          <Grown title={t('console.allAccounts')} href="/console/accounts" of={data.accounts}>
            <Days of={data} name="accounts" />
          </Grown>
          <Grown title={t('console.allAds')} href="/console/ads" of={data.ads}>
            <Days of={data} name="ads" />
          </Grown>
          <li class="panel tile">
            <span>{t('shell.messages')}</span>
            <strong>{formatNumber(sumOf(data, 'messages'))}</strong>
            <Days of={data} name="messages" />
          </li>
          <li class="panel tile">
            <span>{t('review.title')}</span>
            <strong>{formatNumber(sumOf(data, 'reports'))}</strong>
            <Days of={data} name="reports" />
          </li>
        </ul>
      </section>
      <div class="console-newest">
        <Newest
          id="new-ads"
          title={t('console.newAds')}
          rows={ads.data?.results.map(({ pk, title, authorName, createdAt }) => ({
            href: `/a/${pk}`,
            text: title || `#${pk}`,
            more: [authorName, formatAge(createdAt)],
          }))}
        />
        <Newest
          id="new-accounts"
          title={t('console.newAccounts')}
          rows={accounts.data?.results.map(({ id, email, firstName, createdAt }) => ({
            href: `/console/accounts/${id}`,
            text: email,
            more: [firstName, formatAge(createdAt)],
          }))}
        />
      </div>
      <section aria-labelledby="runs">
        <h2 id="runs">{t('console.runs')}</h2>
        <dl class="facts">
          <Fact name={t('console.service')}>{data.versions.service}</Fact>
          <Fact name={t('console.schema')}>{data.versions.schemaRevision}</Fact>
          <Fact name={t('console.database')}>{data.versions.database}</Fact>
          <Fact name={t('console.backup')}>
            {data.backedUpAt === null ? (
              <span class="badge care">{t('console.noBackup')}</span>
            ) : (
              formatMoment(data.backedUpAt)
            )}
          </Fact>
          {[...disks].map(([free, names]) => (
            <Fact key={free} name={t('console.disk', { name: names.join(', ') })}>
              {t('console.free', { size: `${formatNumber(free)} GB` })}
            </Fact>
          ))}
        </dl>
      </section>
    </>
  );
}

interface NewestRow {
  href: string;
  text: string;
  more: (string | undefined)[];
}

function Newest({
  id,
  title,
  rows = [],
}: {
  id: string;
  title: string;
  rows: NewestRow[] | undefined;
}): JSX.Element {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="list">
        {rows.map(({ href, text, more }) => (
          <li key={href}>
            <p class="one-line">
              <a href={href} dir="auto">
                {text}
              </a>
            </p>
            <p class="faint one-line">{more.filter(Boolean).join(' · ')}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Waiting({ of: { cases, outbox, failingJobs } }: { of: Overview }): JSX.Element {
  return (
    <section aria-labelledby="waits">
      <h2 id="waits">{t('console.waits')}</h2>
      <ul class="tiles">
        <Tile title={t('console.openCases')} href="/review" count={cases.open} calls={cases.open > 0} />
        <Tile
          title={t('console.appealedCases')}
          href="/review?status=appealed"
          count={cases.appealed}
          calls={cases.appealed > 0}
        />
        <Tile title={t('console.waitingEntries')} href="/console/outbox" count={outbox.waiting}>
          {outbox.oldestAt !== null && t('console.oldest', { date: formatMoment(outbox.oldestAt) })}
        </Tile>
        <Tile
          title={t('console.deadEntries')}
          href="/console/outbox?status=dead"
          count={outbox.dead}
          calls={outbox.dead > 0}
        />
        <Tile
          title={t('console.failingJobs')}
          href="/console/jobs"
          count={failingJobs.length}
          calls={failingJobs.length > 0}
        >
          {failingJobs.join(', ')}
        </Tile>
      </ul>
    </section>
  );
}

const MOST_COUNTED = 10_000;

function Tile({
  title,
  href,
  count,
  calls = false,
  // Of what waits no more are counted.
  isBound = count === MOST_COUNTED,
  children,
}: {
  title: string;
  href: string;
  count: number;
  /** Whether a person has to do something. */
  calls?: boolean;
  isBound?: boolean;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <li>
      <a class={calls ? 'panel tile calls' : 'panel tile'} href={href}>
        <span>{title}</span>
        <strong>{isBound ? `${formatNumber(count)}+` : formatNumber(count)}</strong>
        {children && <span class="faint">{children}</span>}
      </a>
    </li>
  );
}

function Grown({
  title,
  href,
  of: { today, total },
  children,
}: {
  title: string;
  href: string;
  of: Growth;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <Tile title={title} href={href} count={total} isBound={false}>
      {t('console.today', { count: today })}
      {children}
    </Tile>
  );
}

type Counted = Exclude<keyof Overview['days'][number], 'date'>;

const sumOf = ({ days }: Overview, name: Counted): number =>
  days.reduce((sum, day) => sum + (day[name] ?? 0), 0);

/** What was new in the last thirty days. */
function Days({ of, name }: { of: Overview; name: Counted }): JSX.Element {
  const days = of.days.map((day) => ({ date: day.date, value: day[name] }));
  const label = t('console.ofDays', { count: sumOf(of, name) });
  return (
    <>
      <Curve days={days} label={label} text={formatNumber} />
      <span class="faint">{label}</span>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
