/** The audit trail: who changed what of whom. */
import type { JSX } from 'preact';
import { type AuditEvent, type AuditKind, valuesOf } from '../data/client';
import { usePages } from '../data/query';
import { Select, TextField } from '../elements/field';
import { Listing } from '../elements/listing';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { Filters, given } from './filters';
import { type AuditQuery, auditQuery } from './queries';

const KINDS = valuesOf<AuditKind>({
  session_began: true,
  session_ended: true,
  key_created: true,
  key_deleted: true,
  basic_login: true,
  login_failed: true,
  rate_limited: true,
  role_changed: true,
  token_reused: true,
  password_changed: true,
  login_reported: true,
  mail_changed: true,
  mail_verified: true,
  totp_set: true,
  totp_removed: true,
  recovery_code_used: true,
  passkey_added: true,
  passkey_removed: true,
  factors_reset: true,
  account_deleted: true,
  category_changed: true,
  category_deleted: true,
  decided: true,
  decision_undone: true,
  messages_read: true,
  webhook_created: true,
  webhook_changed: true,
  webhook_deleted: true,
  webhook_secret_rotated: true,
  job_requested: true,
  outbox_retried: true,
  outbox_deleted: true,
  foreign_ad_changed: true,
  foreign_ad_deleted: true,
  foreign_picture_replaced: true,
  foreign_pictures_changed: true,
  foreign_comment_changed: true,
  foreign_comment_deleted: true,
});
const NAMES = ['kind', 'actor', 'user', 'ad', 'before'] as const;

function queryOf({ kind, actor, user, ad, before }: Record<string, string>): AuditQuery {
  const chosen = KINDS.find((one) => one === kind);
  const moment = before ? Date.parse(before) : Number.NaN;
  const id = (text: string | undefined): number | undefined =>
    text && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
  const found = {
    kind: chosen,
    actor: actor && /^(operator|[1-9]\d*)$/.test(actor) ? actor : undefined,
    user: id(user),
    ad: id(ad),
    before: moment > 0 ? moment : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

export function Audit(): JSX.Element {
  const query = queryOf(given(NAMES));
  return (
    <>
      <Filters label={t('console.audit')} names={NAMES}>
        {(values, set) => (
          <>
            <Select
              label={t('console.kind')}
              value={values.kind ?? ''}
              onValue={set('kind')}
              choices={[
                { value: '', label: t('console.any') },
                ...KINDS.map((value) => ({ value, label: value })),
              ]}
            />
            <TextField label={t('console.actor')} value={values.actor ?? ''} onValue={set('actor')} />
            <TextField
              label={t('console.aboutUser')}
              value={values.user ?? ''}
              onValue={set('user')}
              inputMode="numeric"
            />
            <TextField
              label={t('console.aboutAd')}
              value={values.ad ?? ''}
              onValue={set('ad')}
              inputMode="numeric"
            />
            <TextField
              label={t('console.before')}
              type="date"
              value={values.before ?? ''}
              onValue={set('before')}
            />
          </>
        )}
      </Filters>
      <Events key={JSON.stringify(query)} query={query} />
    </>
  );
}

function Events({ query }: { query: AuditQuery }): JSX.Element {
  const result = usePages(auditQuery(query));
  return (
    <Listing
      result={result}
      look="console-list"
      none={t('console.noEvents')}
      each={(event: AuditEvent) => <Row key={event.id} of={event} />}
    />
  );
}

function Row({ of: { at, kind, actor, target, ad, user } }: { of: AuditEvent }): JSX.Element {
  return (
    <li class="console-event">
      <p class="faint">{formatMoment(at)}</p>
      <p>
        <code>{kind}</code>
        {target !== null && <span class="faint"> → {target}</span>}
      </p>
      <p>
        {actor !== null &&
          (/^\d+$/.test(actor) ? (
            <a href={`/console/accounts/${actor}`}>{t('console.byWhom', { name: `#${actor}` })}</a>
          ) : (
            t('console.byWhom', { name: actor })
          ))}
      </p>
      <p>
        {user !== null && (
          <a href={`/console/accounts/${user}`}>
            {t('console.account')} {user}
          </a>
        )}{' '}
        {ad !== null && (
          <a href={`/a/${ad}`}>
            {t('console.ad')} {ad}
          </a>
        )}
      </p>
    </li>
  );
}
