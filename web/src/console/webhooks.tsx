/** What programs use: keys, and webhooks with what became of the deliveries. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Keys } from '../account/keys';
import { useAction } from '../data/action';
import {
  type CreatedWebhook,
  client,
  type Delivery,
  type DeliveryStatus,
  type EventType,
  valuesOf,
  type Webhook,
} from '../data/client';
import { gone } from '../data/fault';
import { usePages, useQuery } from '../data/query';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { Checks, Select, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing, Loaded } from '../elements/listing';
import { announce, Empty, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import '../account/words';
import { NamedDeletion } from './operation';
import { deliveriesQuery, forgetConsole, webhooksQuery } from './queries';

/** A site's webhooks are sent no matches of accounts' searches. */
const TYPES = valuesOf<Exclude<EventType, 'searchMatched'>>({
  'ad.created': true,
  'ad.published': true,
  'ad.updated': true,
  'ad.priceChanged': true,
  'ad.reserved': true,
  'ad.released': true,
  'ad.sold': true,
  'ad.withdrawn': true,
  'ad.expired': true,
  'ad.renewed': true,
  'ad.hidden': true,
  'ad.shown': true,
  'ad.deleted': true,
  'comment.created': true,
  'comment.deleted': true,
  'user.registered': true,
  'user.verified': true,
  'user.suspended': true,
  'user.restored': true,
  'user.deleted': true,
  'report.created': true,
  'decision.made': true,
  'message.sent': true,
  'offer.made': true,
  'offer.accepted': true,
  'rating.created': true,
  'rating.shown': true,
});

export function KeysPart(): JSX.Element | null {
  const me = user.value;
  if (!me) return null;
  return (
    <>
      <p class="faint">{t('console.keysText')}</p>
      <Keys me={me} />
    </>
  );
}

export function WebhooksPart(): JSX.Element {
  return <Loaded result={useQuery(webhooksQuery())}>{({ results }) => <All of={results} />}</Loaded>;
}

function All({ of: webhooks }: { of: readonly Webhook[] }): JSX.Element {
  const [made, setMade] = useState<CreatedWebhook | null>(null);
  return (
    <>
      <div class="toolbar">
        <Disclosure label={t('console.newWebhook')} look="primary">
          {(close) => (
            <WebhookForm
              send={t('console.newWebhook')}
              onCancel={close}
              onSend={async (sent) => {
                setMade(await client.createWebhook(sent));
                close();
              }}
            />
          )}
        </Disclosure>
      </div>
      {made && (
        <div class="notice" role="status">
          <p>{t('console.webhookSecret')}</p>
          <p>
            {made.url}: <code>{made.secret}</code>
          </p>
        </div>
      )}
      {webhooks.length === 0 && <Empty text={t('console.noWebhooks')} />}
      {webhooks.length > 0 && (
        <ul class="list">
          {webhooks.map((webhook) => (
            <OneWebhook key={webhook.id} of={webhook} onSecret={setMade} />
          ))}
        </ul>
      )}
    </>
  );
}

function OneWebhook({
  of: webhook,
  onSecret,
}: {
  of: Webhook;
  onSecret: (made: CreatedWebhook) => void;
}): JSX.Element {
  const action = useAction(async (work: () => Promise<unknown>) => {
    await work();
    announce('console.done');
    await forgetConsole('webhooks');
    await forgetConsole('deliveries', webhook.id);
  });
  const press = (text: string, work: () => Promise<unknown>): JSX.Element => (
    <button
      type="button"
      aria-label={`${text}: ${webhook.url}`}
      disabled={action.busy}
      onClick={() => void action.run(work)}
    >
      {text}
    </button>
  );
  return (
    <li>
      <p>
        <strong>{webhook.url}</strong>{' '}
        {!webhook.enabled && <span class="badge care">{t('console.disabled')}</span>}
      </p>
      {webhook.description && <p>{webhook.description}</p>}
      <p class="faint">{webhook.types.join(', ')}</p>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <div class="buttons">
        <Disclosure label={t('console.deliveries')} name={`${t('console.deliveries')}: ${webhook.url}`}>
          {(close) => <DeliveriesOf id={webhook.id} onClose={close} />}
        </Disclosure>
        {webhook.enabled && press(t('console.test'), () => client.testWebhook(webhook.id))}
        <Disclosure label={t('console.editWebhook')} name={`${t('console.editWebhook')}: ${webhook.url}`}>
          {(close) => (
            <WebhookForm
              webhook={webhook}
              send={t('console.save')}
              onCancel={close}
              onSend={async (sent) => {
                await client.updateWebhook(webhook.id, sent);
                close();
              }}
            />
          )}
        </Disclosure>
        {press(t(webhook.enabled ? 'console.disable' : 'console.enable'), () =>
          client.updateWebhook(webhook.id, { enabled: !webhook.enabled }),
        )}
        {press(t('console.rotate'), async () => onSecret(await client.rotateWebhook(webhook.id)))}
        <NamedDeletion
          name={webhook.url}
          remove={async () => {
            await gone(client.deleteWebhook(webhook.id));
            await forgetConsole('webhooks');
          }}
        />
      </div>
    </li>
  );
}

const DELIVERED = [
  'all',
  ...valuesOf<DeliveryStatus>({ pending: true, delivered: true, failed: true }),
] as const;

function DeliveriesOf({ id, onClose }: { id: number; onClose: () => void }): JSX.Element {
  const [status, setStatus] = useState<(typeof DELIVERED)[number]>('all');
  const result = usePages(deliveriesQuery(id, status === 'all' ? undefined : status));
  return (
    <section class="panel" aria-label={t('console.deliveries')}>
      <div class="toolbar">
        <Select
          label={t('console.status')}
          value={status}
          onValue={setStatus}
          choices={DELIVERED.map((value) => ({ value, label: t(`console.delivery.${value}`) }))}
        />
        <button type="button" class="plain" onClick={onClose}>
          {t('console.close')}
        </button>
      </div>
      <Listing
        result={result}
        look="list"
        none={t('console.noDeliveries')}
        each={(delivery: Delivery) => <OneDelivery key={delivery.id} webhook={id} of={delivery} />}
      />
    </section>
  );
}

const LOOKS = { pending: 'badge', delivered: 'badge good', failed: 'badge bad' };

function OneDelivery({ webhook, of: one }: { webhook: number; of: Delivery }): JSX.Element {
  const action = useAction(async () => {
    await client.retryDelivery(webhook, one.id);
    announce('console.redelivered');
    await forgetConsole('deliveries', webhook);
  });
  return (
    <li class="split">
      <div>
        <p>
          <code>{one.type}</code> #{one.event}{' '}
          <span class={LOOKS[one.status]}>{t(`console.delivery.${one.status}`)}</span>
        </p>
        <p class="faint">
          {t('console.attempts', { count: one.attempts })}
          {one.attempts > 0 &&
            ` · ${one.lastStatus === null ? t('console.noAnswer') : t('console.lastStatus', { status: String(one.lastStatus) })}`}
          {one.nextAt !== null && ` · ${t('console.next', { date: formatMoment(one.nextAt) })}`}
        </p>
        <FaultNotice fault={action.fault} limited={action.limited} />
      </div>
      <button
        type="button"
        aria-label={t('console.redeliverNamed', { name: `${one.type} #${one.event}` })}
        disabled={action.busy}
        onClick={() => void action.run()}
      >
        {t('console.redeliver')}
      </button>
    </li>
  );
}

function WebhookForm({
  webhook,
  send,
  onSend,
  onCancel,
}: {
  webhook?: Webhook;
  send: string;
  onSend: (sent: { url: string; description: string; types: EventType[] }) => Promise<void>;
  onCancel: () => void;
}): JSX.Element {
  const { url = 'https://', description = '', types = [] as readonly EventType[] } = webhook ?? {};
  const fields = useFields({ url, description, types }, async (given) => {
    await onSend({ ...given, types: [...given.types] });
    await forgetConsole('webhooks');
  });
  return (
    <ActionForm
      action={fields}
      send={send}
      onCancel={onCancel}
      ready={fields.values.types.length > 0}
      label={send}
    >
      <TextField label={t('console.url')} {...fields.tie('url')} />
      <TextField label={t('console.description')} {...fields.tie('description')} optional />
      <Checks label={t('console.types')} look="types" {...fields.tie('types')} offered={TYPES} />
    </ActionForm>
  );
}
