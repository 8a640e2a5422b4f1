/** The first message to the seller of an ad, or the first offer. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import './text';
import { withAccount } from '../account/enterFirst';
import { navigate } from '../app/router';
import { newKey, useAction } from '../data/action';
import { type Conversation, client, type PriceType } from '../data/client';
import { fieldText, messageAt } from '../data/faultText';
import { keepText, keptText } from '../data/kept';
import { ofPrice, priceValue, readAs } from '../data/price';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { currency, limit } from '../data/site';
import { forgetTalk } from '../data/unread';
import { TextArea, TextField } from '../elements/field';
import { ActionForm } from '../elements/form';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { mayOffer } from './offer';
import { discard, send, sendAgain, waitingFor } from './outbox';
import { aboutQuery } from './queries';

/** Whoever has written already is led to the conversation. Without a login, the text waits for it. */
export function WriteForm({
  ad,
  priceType,
  offers = false,
  onCancel,
}: {
  ad: number;
  priceType: PriceType;
  /** Whether a price is written with it. */
  offers?: boolean;
  onCancel: () => void;
}): JSX.Element {
  const about = useQuery({ ...aboutQuery(ad), enabled: Boolean(user.value) });
  const [waits] = waitingFor({ ad });
  if (offers && user.value && about.isPending) return <p class="loading">{t('loading')}</p>;
  if (offers && (!about.data || mayOffer(about.data)))
    return <FirstOffer ad={ad} known={about.data ?? null} onCancel={onCancel} />;
  if (waits && !waits.fault) {
    return (
      <div class="notice" role="status">
        <p>{t('write.sending')}</p>
        <p class="as-written faint" dir="auto">
          {waits.text}
        </p>
      </div>
    );
  }
  if (user.value && about.data) {
    return (
      <p class="notice" role="status">
        {t('write.sent')} <a href={`/messages/${about.data.id}`}>{t('write.toConversation')}</a>
      </p>
    );
  }
  if (user.value && about.isPending) return <p class="loading">{t('loading')}</p>;
  return <FirstMessage {...{ ad, priceType, onCancel }} />;
}

function FirstMessage({
  ad,
  priceType,
  onCancel,
}: {
  ad: number;
  priceType: PriceType;
  onCancel: () => void;
}): JSX.Element {
  const place = `ad ${ad}`;
  const id = useId();
  const [refused] = waitingFor({ ad });
  const [text, setText] = useState(() => keptText(place));
  // It is known a moment after the page.
  useEffect(() => setText((typed) => typed || (refused?.text ?? '')), [refused?.key]);
  useEffect(() => document.getElementById(id)?.focus(), [id]);
  const type = (next: string): void => {
    setText(next);
    keepText(place, next);
  };
  function write(): void {
    keepText(place, '');
    // It may have arrived: the same text is sent with the same key.
    if (refused?.text === text) return void sendAgain(refused);
    if (refused) void discard(refused);
    void send({ ad }, text);
  }
  const tooMany = refused?.fault?.status === 429 && refused.at + (refused.fault.retryAfter ?? 0) * 1000;
  const openers = [t('opener.available'), t('opener.look')];
  if (priceType === 'fixed' || priceType === 'negotiable') openers.push(t('opener.price'));
  return (
    <ActionForm
      label={t('seller.write')}
      action={{ busy: false, fault: tooMany ? null : (refused?.fault ?? null), limited: null }}
      send={t(user.value ? 'write.send' : 'write.login')}
      onSend={() => {
        // The form opens by itself when the login has led back.
        if (!user.value) keepText(`write ${ad}`, 'message');
        void withAccount(write);
      }}
      onCancel={onCancel}
      ready={text.trim() !== ''}
    >
      <ul class="chips" aria-label={t('opener.label')}>
        {openers.map((opener) => (
          <li key={opener}>
            <button type="button" onClick={() => type(text.trim() ? `${text.trimEnd()}\n${opener}` : opener)}>
              {opener}
            </button>
          </li>
        ))}
      </ul>
      <TextArea
        id={id}
        label={t('write.label')}
        hint={t('write.hint')}
        rows={4}
        maxLength={limit('messageMaxLength', 4000)}
        value={text}
        onValue={type}
        error={
          tooMany
            ? t('write.tooMany', { date: formatMoment(tooMany) })
            : messageAt(refused?.fault ?? null, '/text')
        }
      />
    </ActionForm>
  );
}

/** A price with the first message, or in the conversation that there is. */
function FirstOffer({
  ad,
  known,
  onCancel,
}: {
  ad: number;
  known: Conversation | null;
  onCancel: () => void;
}): JSX.Element {
  const id = useId();
  useEffect(() => document.getElementById(id)?.focus(), [id]);
  const [price, setPrice] = useState(() => keptText(`offer ${ad}`));
  const [text, setText] = useState(() => keptText(`ad ${ad}`) || t('offer.opener'));
  const [tried, setTried] = useState(false);
  // What has arrived is not sent again when the rest was refused.
  const conversation = useRef(known?.id);
  const [wrong] = ofPrice(price);
  const action = useAction(
    async (key: string) => {
      conversation.current ??= (
        await client.writeAboutAd(ad, { text }, { idempotencyKey: `${key}-text` })
      ).conversation;
      await client.makeOffer(
        conversation.current,
        { price: Number(priceValue(price)) },
        { idempotencyKey: key },
      );
      keepText(`offer ${ad}`, '');
      keepText(`ad ${ad}`, '');
      await forgetTalk();
      navigate(`/messages/${conversation.current}`);
    },
    { repeatable: true },
  );
  return (
    <ActionForm
      label={t('offer.start')}
      action={{ ...action, run: () => action.run(newKey()) }}
      send={t(user.value ? 'offer.make' : 'write.login')}
      onSend={() => {
        setTried(true);
        if (wrong) return;
        if (!user.value) {
          keepText(`write ${ad}`, 'offer');
          keepText(`offer ${ad}`, price);
          keepText(`ad ${ad}`, text);
        }
        void withAccount(() => action.run(newKey()));
      }}
      onCancel={onCancel}
      ready={price !== '' && text.trim() !== ''}
    >
      <TextField
        id={id}
        label={t('offer.price')}
        hint={readAs(price) ?? t('offer.hint')}
        value={price}
        onValue={setPrice}
        inputMode="decimal"
        maxLength={24}
        unit={currency.value.code}
        {...(tried && wrong && { error: fieldText(wrong) })}
      />
      {!known && (
        <TextArea
          label={t('write.label')}
          hint={t('write.hint')}
          rows={3}
          maxLength={limit('messageMaxLength', 4000)}
          value={text}
          onValue={setText}
        />
      )}
    </ActionForm>
  );
}
