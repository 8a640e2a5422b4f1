/** What programs use: keys, and webhooks with what became of the deliveries, of the site or of an account. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Keys } from '../account/keys';
import { useAction } from '../data/action';
import {
  type CreatedWebhook,
  client,
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type DisabledReason,
  type EventType,
  valuesOf,
  type Webhook,
  type Webhooks,
} from '../data/client';
import { gone } from '../data/fault';
import { type Options, paged } from '../data/queries';
import { type PagesOptions, usePages, useQuery } from '../data/query';
import { user } from '../data/session';
import { Disclosure } from '../elements/disclosure';
import { Checks, Select, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing, Loaded } from '../elements/listing';
import { announce, Empty, FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment, formatNumber } from '../i18n/format';
import '../account/words';
import { NamedDeletion } from './operation';
import { forgetConsole, OFTEN } from './queries';

type Operations = Pick<
  typeof client,
  | 'listWebhooks'
  | 'createWebhook'
  | 'updateWebhook'
  | 'rotateWebhook'
  | 'testWebhook'
  | 'deleteWebhook'
  | 'listDeliveries'
  | 'retryDelivery'
  | 'replayDeliveries'
>;

/** Whose webhooks they are: their operations, and the events that they are sent. */
export interface Owner extends Operations {
  readonly name: string;
  readonly types: readonly EventType[];
}

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

const SITE: Owner = {
  name: 'site',
  types: TYPES,
  listWebhooks: (...given) => client.listWebhooks(...given),
  createWebhook: (...given) => client.createWebhook(...given),
  updateWebhook: (...given) => client.updateWebhook(...given),
  rotateWebhook: (...given) => client.rotateWebhook(...given),
  testWebhook: (...given) => client.testWebhook(...given),
  deleteWebhook: (...given) => client.deleteWebhook(...given),
  listDeliveries: (...given) => client.listDeliveries(...given),
  retryDelivery: (...given) => client.retryDelivery(...given),
  replayDeliveries: (...given) => client.replayDeliveries(...given),
};

export const WebhooksPart = (): JSX.Element => <WebhooksOf owner={SITE} />;

const webhooksQuery = (owner: Owner): Options<Webhooks> => ({
  queryKey: ['console', 'webhooks', owner.name],
  queryFn: ({ signal }) => owner.listWebhooks({ signal }),
  ...OFTEN,
});

const deliveriesQuery = (owner: Owner, id: number, status?: DeliveryStatus): PagesOptions<Deliveries> => ({
  ...paged(['console', 'deliveries', id, status], (from, options) =>
    owner.listDeliveries(id, { ...(status ? { status } : {}), ...from }, options),
  ),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.pages.some(isUnderWay) ? 2000 : false),
});

const isUnderWay = ({ results }: Deliveries): boolean => results.some(({ status }) => status === 'pending');

export function WebhooksOf({ owner }: { owner: Owner }): JSX.Element {
  return (
    <Loaded result={useQuery(webhooksQuery(owner))}>
      {({ results }) => <All owner={owner} of={results} />}
    </Loaded>
  );
}

function All({ owner, of: webhooks }: { owner: Owner; of: readonly Webhook[] }): JSX.Element {
  const [made, setMade] = useState<CreatedWebhook | null>(null);
  return (
    <>
      <div class="toolbar">
        <Disclosure label={t('console.newWebhook')} look="primary">
          {(close) => (
            <WebhookForm
              types={owner.types}
              send={t('console.newWebhook')}
              onCancel={close}
              onSend={async (sent) => {
                setMade(await owner.createWebhook(sent));
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
            <OneWebhook key={webhook.id} owner={owner} of={webhook} onSecret={setMade} />
          ))}
        </ul>
      )}
    </>
  );
}

function OneWebhook({
  owner,
  of: webhook,
  onSecret,
}: {
  owner: Owner;
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
      {webhook.disabledReason && webhook.disabledAt && (
        <p>{REASONS[webhook.disabledReason](formatMoment(webhook.disabledAt))}</p>
      )}
      {webhook.description && <p>{webhook.description}</p>}
      <p class="faint">{webhook.types.join(', ')}</p>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <div class="buttons">
        <Disclosure label={t('console.deliveries')} name={`${t('console.deliveries')}: ${webhook.url}`}>
          {(close) => <DeliveriesOf owner={owner} id={webhook.id} onClose={close} />}
        </Disclosure>
        {webhook.enabled && press(t('console.test'), () => owner.testWebhook(webhook.id))}
        <Disclosure label={t('console.editWebhook')} name={`${t('console.editWebhook')}: ${webhook.url}`}>
          {(close) => (
            <WebhookForm
              webhook={webhook}
              types={owner.types}
              send={t('console.save')}
              onCancel={close}
              onSend={async (sent) => {
                await owner.updateWebhook(webhook.id, sent);
                close();
              }}
            />
          )}
        </Disclosure>
        {press(t(webhook.enabled ? 'console.disable' : 'console.enable'), () =>
          owner.updateWebhook(webhook.id, { enabled: !webhook.enabled }),
        )}
        {press(t('console.rotate'), async () => onSecret(await owner.rotateWebhook(webhook.id)))}
        <NamedDeletion
          name={webhook.url}
          remove={async () => {
            await gone(owner.deleteWebhook(webhook.id));
            await forgetConsole('webhooks');
          }}
        />
      </div>
    </li>
  );
}

const REASONS: Record<DisabledReason, (date: string) => string> = {
  requested: (date) => t('console.disabledBy.requested', { date }),
  gone: (date) => t('console.disabledBy.gone', { date }),
  failing: (date) => t('console.disabledBy.failing', { date }),
};

const DELIVERED = [
  'all',
  ...valuesOf<DeliveryStatus>({ pending: true, delivered: true, failed: true }),
] as const;

const HOUR = 60 * 60 * 1000;
/** In hours: how far back failed deliveries are sent again. */
const SINCE = ['1', '24', '168'] as const;

function DeliveriesOf({
  owner,
  id,
  onClose,
}: {
  owner: Owner;
  id: number;
  onClose: () => void;
}): JSX.Element {
  const [status, setStatus] = useState<(typeof DELIVERED)[number]>('all');
  const result = usePages(deliveriesQuery(owner, id, status === 'all' ? undefined : status));
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
      <Replay owner={owner} id={id} />
      <Listing
        result={result}
        look="list"
        none={t('console.noDeliveries')}
        each={(delivery: Delivery) => (
          <OneDelivery key={delivery.id} owner={owner} webhook={id} of={delivery} />
        )}
      />
    </section>
  );
}

/** Sends again what failed, as after a fault of the receiver. */
function Replay({ owner, id }: { owner: Owner; id: number }): JSX.Element {
  const [hours, setHours] = useState<(typeof SINCE)[number]>('24');
  const action = useAction(async () => {
    await owner.replayDeliveries(id, { since: Date.now() - Number(hours) * HOUR });
    announce('console.redelivered');
    await forgetConsole('deliveries', id);
  });
  return (
    <ActionForm action={action} send={t('console.replay')} label={t('console.replay')}>
      <Select
        label={t('console.failedSince')}
        value={hours}
        onValue={setHours}
        choices={SINCE.map((value) => ({ value, label: t(`console.since.${value}`) }))}
      />
    </ActionForm>
  );
}

const LOOKS = { pending: 'badge', delivered: 'badge good', failed: 'badge bad' };

function OneDelivery({
  owner,
  webhook,
  of: one,
}: {
  owner: Owner;
  webhook: number;
  of: Delivery;
}): JSX.Element {
  const action = useAction(async () => {
    await owner.retryDelivery(webhook, one.id);
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
          {one.at !== null && ` · ${formatMoment(one.at)}`}
          {one.milliseconds !== null && ` · ${formatNumber(one.milliseconds)} ms`}
          {one.attempts > 0 &&
            ` · ${one.lastStatus === null ? t('console.noAnswer') : t('console.lastStatus', { status: String(one.lastStatus) })}`}
          {one.nextAt !== null && ` · ${t('console.next', { date: formatMoment(one.nextAt) })}`}
        </p>
        {one.answer && <p class="as-written">{one.answer}</p>}
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
  types: offered,
  send,
  onSend,
  onCancel,
}: {
  webhook?: Webhook;
  types: readonly EventType[];
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
      <Checks label={t('console.types')} look="types" {...fields.tie('types')} offered={offered} />
    </ActionForm>
  );
}
