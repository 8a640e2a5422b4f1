/** The queue of cases, the most reported first. */
import type { ComponentChildren, JSX } from 'preact';
import { SignedIn } from '../account/enterFirst';
import { address } from '../app/router';
import { ConsoleNavigation } from '../console/navigation';
import { type CaseStatus, type CaseSummary, valuesOf } from '../data/client';
import { casesQuery } from '../data/queries';
import { usePages } from '../data/query';
import { Listing } from '../elements/listing';
import { Page } from '../elements/page';
import { Tabs } from '../elements/tabs';
import { t } from '../i18n';
import { formatAge } from '../i18n/format';
import { KeyHelp, useKeys } from './keys';
import { ModeratedPicture } from './picture';
import '../styles/console.css';
import '../console/words';

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
      {({ role }) => {
        const page = <Page title={title}>{role === 'USER' ? <p>{t('review.only')}</p> : children}</Page>;
        if (role !== 'ADMIN') return <div class="office">{page}</div>;
        return (
          <div class="console office">
            <ConsoleNavigation current="review" />
            {page}
          </div>
        );
      }}
    </SignedIn>
  );
}

export function ReviewPage(): JSX.Element {
  const wanted = address.value.searchParams.get('status');
  const status = STATUSES.find((one) => one === wanted) ?? 'open';
  return (
    <ForModerators title={t('review.title')}>
      <div class="toolbar split">
        <Tabs
          label={t('review.byStatus')}
          tabs={STATUSES.map((one) => ({
            href: `/review?status=${one}`,
            text: t(`case.${one}`),
            current: one === status,
          }))}
        />
        <KeyHelp />
      </div>
      <Queue status={status} />
    </ForModerators>
  );
}

function Queue({ status }: { status: CaseStatus }): JSX.Element {
  const result = usePages(casesQuery(status));
  const go = (step: number): void => {
    const links = [...document.querySelectorAll<HTMLElement>('.cases a')];
    const here = links.indexOf(document.activeElement as HTMLElement);
    links[here < 0 ? 0 : Math.min(links.length - 1, Math.max(0, here + step))]?.focus();
  };
  useKeys({ j: () => go(1), k: () => go(-1) });
  return (
    <Listing
      result={result}
      look="list cases"
      none={t('review.none')}
      each={(one: CaseSummary) => <QueuedCase key={one.id} one={one} />}
    />
  );
}

function QueuedCase({ one }: { one: CaseSummary }): JSX.Element {
  const [picture] = one.snapshot.images;
  return (
    <li class="media console-ad">
      <ModeratedPicture path={picture?.image} width={96} height={72} />
      <div>
        <p>
          <a href={`/review/${one.id}`} dir="auto">
            {one.snapshot.title || one.snapshot.text || nameOf(one)}
          </a>
        </p>
        <p class="faint">
          {one.reasons.map((reason) => (
            <span key={reason} class="badge care">
              {t(`reason.${reason}`)}
            </span>
          ))}
          <span>
            {t(`kind.${one.kind}`)} · {reported(one)} · {formatAge(one.createdAt)}
          </span>
        </p>
        {one.appeal !== null && (
          <p class="as-written" dir="auto">
            {one.appeal}
          </p>
        )}
      </div>
    </li>
  );
}

/** A list does not have what people wrote to each other. */
const nameOf = ({ kind, target }: CaseSummary): string =>
  kind === 'message' ? `${t('kind.message')} #${target}` : t('review.untitled');

/** How many reports count, or why the case is there without. */
function reported({ kind, reports, reasons }: CaseSummary): string {
  if (reports > 0) return t('review.counted', { count: reports });
  if (reasons.length > 0) return t('review.onlyNew');
  return t(kind === 'message' ? 'review.heldShort' : 'review.noReports');
}
