/** The webhooks of an account: its own programs are sent what happens to its ads, messages and searches. */
import type { JSX } from 'preact';
import { type Owner, WebhooksOf } from '../console/webhooks';
import '../console/words';
import { client, type EventType, valuesOf } from '../data/client';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { SignedIn } from './enterFirst';

type OwnType = Extract<EventType, `ad.${string}` | `message.${string}` | `offer.${string}` | 'searchMatched'>;

const OWN: Owner = {
  name: 'own',
  types: valuesOf<OwnType>({
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
    'message.sent': true,
    'offer.made': true,
    'offer.accepted': true,
    searchMatched: true,
  }),
  listWebhooks: (...given) => client.listMyWebhooks(...given),
  createWebhook: (...given) => client.createMyWebhook(...given),
  updateWebhook: (...given) => client.updateMyWebhook(...given),
  rotateWebhook: (...given) => client.rotateMyWebhook(...given),
  testWebhook: (...given) => client.testMyWebhook(...given),
  deleteWebhook: (...given) => client.deleteMyWebhook(...given),
  listDeliveries: (...given) => client.listMyDeliveries(...given),
  retryDelivery: (...given) => client.retryMyDelivery(...given),
  replayDeliveries: (...given) => client.replayMyDeliveries(...given),
};

export function WebhooksPage(): JSX.Element {
  return (
    <SignedIn title={t('security.webhooks')}>
      {() => (
        <Page title={t('security.webhooks')} narrow>
          <p>{t('console.webhooksText')}</p>
          <WebhooksOf owner={OWN} />
        </Page>
      )}
    </SignedIn>
  );
}
