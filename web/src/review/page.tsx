/** The queue of cases, the most reported first. */
import type { ComponentChildren, JSX } from 'preact';
import { SignedIn } from '../account/enterFirst';
import { address } from '../app/router';
import { type CaseStatus, type CaseSummary, valuesOf } from '../data/client';
import { casesQuery } from '../data/queries';
import { usePages } from '../data/query';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';

const STATUSES = valuesOf<CaseStatus>({ open: true, appealed: true, decided: true });

/** Shows its content to moderators and administrators. */
export function ForModerators({
  title,
  children,
}: {
  title: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <SignedIn title={title}>
      {({ role }) => <Page title={title}>{role === 'USER' ? <p>{t('review.only')}</p> : children}</Page>}
    </SignedIn>
  );
}

export function ReviewPage(): JSX.Element {
  const wanted = address.value.searchParams.get('status');
  const status = STATUSES.find((one) => one === wanted) ?? 'open';
  return (
    <ForModerators title={t('review.title')}>
      <Tabs
        label={t('review.byStatus')}
        tabs={STATUSES.map((one) => ({
          href: `/review?status=${one}`,
          text: t(`case.${one}`),
          current: one === status,
        }))}
      />
      <Queue status={status} />
    </ForModerators>
  );
}

function Queue({ status }: { status: CaseStatus }): JSX.Element {
  const result = usePages(casesQuery(status));
  return (
    <Listing
      result={result}
      look="cases"
      none={t('review.none')}
      each={(one: CaseSummary) => <QueuedCase key={one.id} one={one} />}
    />
  );
}

function QueuedCase({ one }: { one: CaseSummary }): JSX.Element {
  return (
    <li>
      <a href={`/review/${one.id}`}>{one.snapshot.title || one.snapshot.text || t('review.untitled')}</a>
      <span class="faint">
        {t(`kind.${one.kind}`)} · {t('review.counted', { count: one.reports })} ·{' '}
        {formatMoment(one.createdAt)}
      </span>
      {one.appeal !== null && <p class="as-written">{one.appeal}</p>}
    </li>
  );
}
