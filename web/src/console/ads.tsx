/** Ads of every status: found, saved as a table, and many at once hidden or shown again. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { newKey, useAction } from '../data/action';
import {
  type Ad,
  type AdDecision,
  type AdministeredAds,
  client,
  type Status,
  valuesOf,
} from '../data/client';
import { download } from '../data/files';
import { usePages } from '../data/query';
import { currency } from '../data/site';
import { Check, Select } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing } from '../elements/listing';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment, formatPrice } from '../i18n/format';
import { ModeratedPicture } from '../review/picture';
import { NO_REASONS, ReasonFields, type Reasons, toStatement } from '../review/reasons';
import { adsTable } from './files';
import { asId, asWords, type Filters, ListPage, oneOf } from './listPage';
import { type AdsQuery, allAdsQuery, forgetConsole } from './queries';

const STATUSES = valuesOf<Status>({
  draft: true,
  active: true,
  reserved: true,
  sold: true,
  withdrawn: true,
  expired: true,
  suspended: true,
  removed: true,
});

const FILTERS: Filters<AdsQuery> = {
  q: { label: 'console.find', read: asWords },
  status: {
    label: 'console.status',
    choices: STATUSES,
    called: (status) => t(`status.${status as Status}`),
    read: oneOf(STATUSES),
  },
  author: { label: 'console.author', inputMode: 'numeric', read: asId },
};

export function AdsPart(): JSX.Element {
  return <ListPage label={t('console.ads')} filters={FILTERS} list={Found} />;
}

function Found({ query }: { query: AdsQuery }): JSX.Element {
  const result = usePages(allAdsQuery(query));
  const listed = result.data?.pages.flatMap((page) => page.results) ?? [];
  const [chosen, setChosen] = useState<ReadonlyMap<number, Ad>>(new Map());
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const toggle = (ad: Ad): void => {
    const others = [...chosen].filter(([pk]) => pk !== ad.pk);
    setChosen(new Map(chosen.has(ad.pk) ? others : [...others, [ad.pk, ad]]));
  };
  const all = listed.length > 0 && listed.every(({ pk }) => chosen.has(pk));
  return (
    <>
      <div class="toolbar">
        <Check
          label={t('console.chooseAll')}
          value={all}
          onValue={(on) => setChosen(new Map(on ? listed.map((ad) => [ad.pk, ad]) : []))}
          disabled={listed.length === 0}
        />
        <ExportButton query={query} nothing={listed.length === 0} />
      </div>
      <div role="status">{outcome && <Done of={outcome} />}</div>
      {chosen.size > 0 && (
        <BulkForm
          ads={[...chosen.values()]}
          onDone={(done) => {
            setOutcome(done);
            setChosen(new Map());
          }}
        />
      )}
      <Listing
        result={result}
        look="list"
        none={t('console.noAds')}
        each={(ad: Ad) => <Row key={ad.pk} ad={ad} chosen={chosen.has(ad.pk)} onToggle={toggle} />}
      />
    </>
  );
}

/** As many as a file has, and as one request takes. */
const MOST_EXPORTED = 10_000;
const PAGE = 100;

/** All that was found, not only what is on the page so far. */
function ExportButton({ query, nothing }: { query: AdsQuery; nothing: boolean }): JSX.Element {
  const [said, setSaid] = useState<{ key: 'console.csvBusy' | 'console.csvCut'; count: number } | null>(null);
  const action = useAction(
    async () => {
      const ads: Ad[] = [];
      let cursor: string | null = null;
      do {
        setSaid({ key: 'console.csvBusy', count: ads.length });
        const page: AdministeredAds = await client.listAllAds({
          ...query,
          limit: PAGE,
          ...(cursor === null ? {} : { cursor }),
        });
        ads.push(...page.results);
        cursor = page.next;
      } while (cursor !== null && ads.length < MOST_EXPORTED);
      download('ads.csv', 'text/csv', adsTable(ads));
      setSaid(cursor === null ? null : { key: 'console.csvCut', count: ads.length });
    },
    { repeatable: true },
  );
  return (
    <>
      <button type="button" disabled={nothing || action.busy} onClick={() => void action.run()}>
        {t('console.csv')}
      </button>
      <p class="faint" role="status">
        {said && (action.busy || said.key === 'console.csvCut') && t(said.key, { count: said.count })}
      </p>
      <FaultNotice fault={action.fault} limited={action.limited} />
    </>
  );
}

function lookOf(status: Status): string {
  if (status === 'active' || status === 'reserved') return 'badge good';
  return status === 'suspended' || status === 'removed' ? 'badge bad' : 'badge';
}

function Row({ ad, chosen, onToggle }: { ad: Ad; chosen: boolean; onToggle: (ad: Ad) => void }): JSX.Element {
  return (
    <li class="media console-ad">
      <input
        type="checkbox"
        aria-label={t('console.choose', { name: ad.title || `#${ad.pk}` })}
        checked={chosen}
        onChange={() => onToggle(ad)}
      />
      <ModeratedPicture path={ad.thumbnail} width={64} height={48} />
      <div>
        <p class="one-line">
          <a href={`/a/${ad.pk}`} dir="auto">
            {ad.title || `#${ad.pk}`}
          </a>
        </p>
        <p class="faint">
          <span class={lookOf(ad.status)}>{t(`status.${ad.status}`)}</span> #{ad.pk} ·{' '}
          {formatPrice(ad.price, ad.priceType, currency.value)} · {formatMoment(ad.createdAt)} ·{' '}
          <a href={`/console/accounts/${ad.author}`}>
            {ad.authorName ?? `${t('console.account')} ${ad.author}`}
          </a>
        </p>
      </div>
    </li>
  );
}

type Action = 'suspendAd' | 'restore';
type Reason = NonNullable<AdDecision['skipped']>;

/** What happened to the chosen ads, or would happen. */
interface Outcome {
  action: Action;
  changed: number;
  skipped: [Ad, Reason][];
}

/** As many as one request takes. */
const AT_ONCE = 100;

/** The reasons, then what would happen by the service's own check, then the same in earnest. */
function BulkForm({ ads, onDone }: { ads: Ad[]; onDone: (outcome: Outcome) => void }): JSX.Element {
  const [foreseen, setForeseen] = useState<Outcome | null>(null);
  const chosen = ads.map(({ pk }) => pk).join();
  const fields = useFields<Reasons & { action: Action }>({ action: 'suspendAd', ...NO_REASONS }, async () => {
    if (!foreseen) return setForeseen(await carryOut(true));
    onDone(await carryOut(false));
    await forgetConsole('ads');
  });
  const { action, ...reasons } = fields.values;
  // What was checked is what is carried out.
  useEffect(() => setForeseen(null), [fields.values, chosen]);
  const hides = action === 'suspendAd';
  const carryOut = async (dryRun: boolean): Promise<Outcome> => {
    const outcome: Outcome = { action, changed: 0, skipped: [] };
    for (let first = 0; first < ads.length; first += AT_ONCE) {
      const part = ads.slice(first, first + AT_ONCE);
      const { changed, results } = await client.decideAds(
        { action, ads: part.map(({ pk }) => pk), dryRun, ...(hides ? toStatement(reasons, false) : {}) },
        { idempotencyKey: newKey() },
      );
      outcome.changed += changed;
      for (const { ad: id, skipped } of results) {
        const ad = part.find(({ pk }) => pk === id);
        if (ad && skipped) outcome.skipped.push([ad, skipped]);
      }
    }
    return outcome;
  };
  const count = foreseen?.changed ?? 0;
  return (
    <section class="panel" aria-label={t('console.chosen', { count: ads.length })}>
      <ActionForm
        action={fields}
        send={foreseen ? t(hides ? 'console.hideAds' : 'console.showAds', { count }) : t('console.preview')}
        look={foreseen && hides ? 'danger' : 'primary'}
        ready={foreseen ? count > 0 : !hides || reasons.explanation.trim() !== ''}
        {...(foreseen ? { onCancel: () => setForeseen(null) } : {})}
      >
        <h2>{t('console.chosen', { count: ads.length })}</h2>
        <Select
          label={t('decide.action')}
          {...fields.tie('action')}
          choices={[
            { value: 'suspendAd', label: t('console.suspendAds') },
            { value: 'restore', label: t('console.restoreAds') },
          ]}
        />
        {hides && <ReasonFields {...fields} suspends={false} />}
        <div role="status">
          {foreseen && (
            <>
              <p>
                <strong>{t(hides ? 'console.wouldHide' : 'console.wouldShow', { count })}</strong>
              </p>
              <Skipped of={foreseen} />
            </>
          )}
        </div>
      </ActionForm>
    </section>
  );
}

function Done({ of: outcome }: { of: Outcome }): JSX.Element {
  return (
    <div class="notice">
      <p>
        <strong>
          {t(outcome.action === 'suspendAd' ? 'console.hidden' : 'console.shown', {
            count: outcome.changed,
          })}
        </strong>
      </p>
      <Skipped of={outcome} />
    </div>
  );
}

/** The ads that stay as they are, and why. */
function Skipped({ of: { action, skipped } }: { of: Outcome }): JSX.Element | null {
  if (skipped.length === 0) return null;
  return (
    <>
      <p>{t('console.skipped', { count: skipped.length })}</p>
      <ul>
        {skipped.map(([ad, reason]) => (
          <li key={ad.pk}>
            {ad.title || `#${ad.pk}`}:{' '}
            {t(
              reason === 'status' && action === 'restore'
                ? 'console.skip.notHidden'
                : `console.skip.${reason}`,
              { status: t(`status.${ad.status}`) },
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
