/** The first message to the seller of an ad. */
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import './text';
import { withAccount } from '../account/enterFirst';
import type { PriceType } from '../data/client';
import { messageAt } from '../data/faultText';
import { keepText, keptText } from '../data/kept';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { limit } from '../data/site';
import { TextArea } from '../elements/field';
import { ActionForm } from '../elements/form';
import { t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { discard, send, sendAgain, waitingFor } from './outbox';
import { aboutQuery } from './queries';

/** Whoever has written already is led to the conversation. Without a login, the text waits for it. */
export function WriteForm({
  ad,
  priceType,
  onCancel,
}: {
  ad: number;
  priceType: PriceType;
  onCancel: () => void;
}): JSX.Element {
  const about = useQuery({ ...aboutQuery(ad), enabled: Boolean(user.value) });
  const [waits] = waitingFor({ ad });
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
        if (!user.value) keepText(`write ${ad}`, 'open');
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
