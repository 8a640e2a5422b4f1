/** Offers: a price that one party makes, and what the other may answer. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { newKey, useAction } from '../data/action';
import { type Conversation, client, type Offer } from '../data/client';
import { toFault } from '../data/fault';
import { fieldText } from '../data/faultText';
import { ofPrice, priceValue, readAs } from '../data/price';
import { forgetAd } from '../data/queries';
import { currency, has } from '../data/site';
import { forgetTalk } from '../data/unread';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Icon } from '../elements/icon';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { formatMoment, formatMoney } from '../i18n/format';
import { send } from './outbox';
import { nameOf } from './text';

const STEPS = {
  accept: (id: number, idempotencyKey: string) => client.acceptOffer(id, { idempotencyKey }),
  decline: (id: number, idempotencyKey: string) => client.declineOffer(id, { idempotencyKey }),
  withdraw: (id: number, idempotencyKey: string) => client.withdrawOffer(id, { idempotencyKey }),
  done: (id: number, idempotencyKey: string) => client.finishOffer(id, { idempotencyKey }),
};
type Step = keyof typeof STEPS;

/** Where the other party was faster, the present state is shown. */
async function changed(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (toFault(error).status === 409) void forgetTalk();
    throw error;
  }
}

function useSteps({ id }: Offer, one: Conversation) {
  return useAction(
    async (step: Step, key: string) => {
      await changed(STEPS[step](id, key));
      if ((step === 'accept' || step === 'done') && one.ad) forgetAd(one.ad.pk);
      await forgetTalk();
    },
    { repeatable: true },
  );
}

export function OfferCard({
  offer,
  mine,
  one,
}: {
  offer: Offer;
  mine: boolean;
  one: Conversation;
}): JSX.Element {
  const action = useSteps(offer, one);
  const { status } = offer;
  const open = status === 'open';
  const answers: readonly Step[] = mine ? ['withdraw'] : ['accept', 'decline'];
  return (
    <div class="offer">
      <p>
        {t('offer.title')} <strong class="price">{formatMoney(offer.price, currency.value)}</strong>
      </p>
      <p class="faint">
        {status === 'open' ? t('offer.until', { date: formatMoment(offer.expiresAt) }) : t(`offer.${status}`)}
      </p>
      <FaultNotice fault={action.fault} limited={action.limited} />
      {open && !one.blocked && one.other && (
        <div class="buttons">
          {answers.map((step) => (
            <button
              type="button"
              key={step}
              class={step === 'accept' ? 'primary' : undefined}
              disabled={action.busy || action.limited !== null}
              onClick={() => void action.run(step, newKey())}
            >
              {t(`offer.step.${step}`)}
            </button>
          ))}
          {!mine && <MakeOffer one={one} label={t('offer.counter')} />}
        </div>
      )}
      {open && !mine && <p class="faint">{t('offer.reserves')}</p>}
    </div>
  );
}

/** From the acceptance of an offer to the sale: what was agreed, and what comes next. */
export function Agreement({ offer, one }: { offer: Offer; one: Conversation }): JSX.Element {
  const action = useSteps(offer, one);
  const title = t('agreed.title', { price: formatMoney(offer.price, currency.value) });
  return (
    <section class="thread-deal agreed" aria-label={title}>
      <p class="media">
        <Icon name="check" />
        <strong>{title}</strong>
      </p>
      <p class="faint">{t(`agreed.${one.role}`, { name: nameOf(one.other) })}</p>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <div class="buttons">
        {!one.blocked && one.other && (
          <Disclosure label={t('meet.start')} look={one.role === 'buyer' ? 'primary' : undefined}>
            {(close) => <MeetingForm one={one} onDone={close} />}
          </Disclosure>
        )}
        {one.role === 'seller' && (
          <button
            type="button"
            class="primary"
            disabled={action.busy || action.limited !== null}
            onClick={() => void action.run('done', newKey())}
          >
            {t('offer.step.done')}
          </button>
        )}
      </div>
    </section>
  );
}

/** Writes the proposal as a message, which the other party answers. */
function MeetingForm({ one, onDone }: { one: Conversation; onDone: () => void }): JSX.Element {
  const [when, setWhen] = useState('');
  const [where, setWhere] = useState('');
  const at = new Date(when).getTime();
  return (
    <ActionForm
      label={t('meet.start')}
      action={{ busy: false, fault: null, limited: null }}
      send={t('inbox.send')}
      ready={Number.isFinite(at) && where.trim() !== ''}
      onSend={() => {
        const text = t('meet.text', { when: formatMoment(at), where: where.trim() });
        void send({ conversation: one.id }, text, one.last.id);
        onDone();
      }}
      onCancel={onDone}
    >
      <TextField label={t('meet.when')} type="datetime-local" value={when} onValue={setWhen} />
      <TextField
        label={t('meet.where')}
        hint={t('meet.hint')}
        maxLength={120}
        value={where}
        onValue={setWhere}
      />
    </ActionForm>
  );
}

/** The buyer begins; then each party answers the other. */
export const mayOffer = ({ role, ad, offer }: Conversation): boolean =>
  has('offers') &&
  role === 'buyer' &&
  offer === null &&
  ad !== null &&
  ad.priceType !== 'free' &&
  ad.status === 'active';

export function MakeOffer({ one, label }: { one: Conversation; label: string }): JSX.Element {
  return (
    <Disclosure label={label}>{(close) => <OfferForm one={one} label={label} onDone={close} />}</Disclosure>
  );
}

function OfferForm({
  one,
  label,
  onDone,
}: {
  one: Conversation;
  label: string;
  onDone: () => void;
}): JSX.Element {
  // Whether its fault is shown: from an attempt on, until it is mended.
  const [tried, setTried] = useState(false);
  const fields = useFields(
    { price: '' },
    async (given, idempotencyKey) => {
      const price = Number(priceValue(given.price));
      await changed(client.makeOffer(one.id, { price }, { idempotencyKey }));
      onDone();
      await forgetTalk();
    },
    { repeatable: true },
  );
  const { price } = fields.values;
  const [wrong] = ofPrice(price);
  return (
    <ActionForm
      label={label}
      action={fields}
      send={t('offer.make')}
      onSend={() => {
        setTried(true);
        if (!wrong) void fields.run();
      }}
      onCancel={onDone}
      ready={price !== ''}
    >
      <TextField
        label={t('offer.price')}
        hint={readAs(price) ?? t('offer.hint')}
        {...fields.tie('price')}
        inputMode="decimal"
        maxLength={24}
        unit={currency.value.code}
        {...(tried && wrong && { error: fieldText(wrong) })}
      />
    </ActionForm>
  );
}
