/** The audit trail: who changed what of whom. */
import type { JSX } from 'preact';
import { type AuditEvent, type AuditKind, valuesOf } from '../data/client';
import { usePages } from '../data/query';
import { Listing } from '../elements/listing';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { asId, type Filters, ListPage, oneOf } from './listPage';
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
  plan_changed: true,
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
  identity_added: true,
  identity_removed: true,
  account_deleted: true,
  category_changed: true,
  category_deleted: true,
  decided: true,
  decision_undone: true,
  suspended: true,
  restored: true,
  contactRead: true,
  messages_read: true,
  webhook_created: true,
  webhook_changed: true,
  webhook_deleted: true,
  webhook_secret_rotated: true,
  secret_rotated: true,
  job_requested: true,
  outbox_retried: true,
  outbox_deleted: true,
  foreign_ad_changed: true,
  foreign_ad_deleted: true,
  foreign_picture_replaced: true,
  foreign_pictures_changed: true,
  foreign_comment_changed: true,
  foreign_comment_deleted: true,
  account_exported: true,
  maintenance_changed: true,
  access_rule_changed: true,
  site_changed: true,
  provider_changed: true,
  provider_deleted: true,
  invitation_created: true,
  invitation_deleted: true,
  deletion_undone: true,
  deletion_ended: true,
});

const FILTERS: Filters<AuditQuery> = {
  kind: { label: 'console.kind', choices: KINDS, read: oneOf(KINDS) },
  actor: {
    label: 'console.actor',
    read: (text) => (/^(operator|[1-9]\d*)$/.test(text) ? text : undefined),
  },
  user: { label: 'console.aboutUser', inputMode: 'numeric', read: asId },
  ad: { label: 'console.aboutAd', inputMode: 'numeric', read: asId },
  before: {
    label: 'console.before',
    type: 'date',
    read: (text) => (Date.parse(text) > 0 ? Date.parse(text) : undefined),
  },
};

export function Audit(): JSX.Element {
  return <ListPage label={t('console.audit')} filters={FILTERS} list={Events} />;
}

function Events({ query }: { query: AuditQuery }): JSX.Element {
  return (
    <Listing
      result={usePages(auditQuery(query))}
      look="list"
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
