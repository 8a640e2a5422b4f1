import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ReportForm } from '../ad/report';
import { type Conversation, client, type Message } from '../data/client';
import { faultText } from '../data/faultText';
import { t } from '../i18n';
import { formatDate, formatTime } from '../i18n/format';
import { OfferCard } from './offer';
import { discard, type Outgoing, sendAgain } from './outbox';
import { eventText, mayLink, withLinks } from './text';

export function OneMessage({
  message,
  one,
  newDay,
  read,
}: {
  message: Message;
  one: Conversation;
  newDay: boolean;
  /** Whether the other party has read it; null says nothing. */
  read: boolean | null;
}): JSX.Element {
  return (
    <>
      {newDay && <li class="day faint">{formatDate(message.at)}</li>}
      {message.kind === 'notice' ? (
        <li class="happened faint">
          {eventText(message, one)} · {formatTime(message.at)}
        </li>
      ) : (
        <li class={message.mine ? 'message mine' : 'message'}>
          <div class="bubble">
            <Said message={message} one={one} />
          </div>
          {message.removed && message.mine && <p class="foot faint">{t('inbox.ownRemoved')}</p>}
          <Hints message={message} />
          <Foot message={message} one={one} read={read} />
        </li>
      )}
    </>
  );
}

function Said({ message, one }: { message: Message; one: Conversation }): JSX.Element {
  const { offer, mine, removed, text } = message;
  if (offer && message.kind === 'offer') return <OfferCard offer={offer} mine={mine} one={one} />;
  if (removed && !mine) return <p class="faint">{t('inbox.removed')}</p>;
  return (
    <p class="as-written" dir="auto">
      {mine || mayLink(one.other) ? withLinks(text) : text}
    </p>
  );
}

/** For the reader alone. */
function Hints({ message: { mine, hints } }: { message: Message }): JSX.Element | null {
  if (mine || hints.length === 0) return null;
  return (
    <div class="hints">
      <p>
        <strong>{t('hint.title')}</strong>
      </p>
      <ul>
        {hints.map((hint) => (
          <li key={hint}>{t(`hint.${hint}`)}</li>
        ))}
      </ul>
    </div>
  );
}

function Foot({
  message,
  one,
  read,
}: {
  message: Message;
  one: Conversation;
  read: boolean | null;
}): JSX.Element {
  const [reporting, setReporting] = useState(false);
  return (
    <>
      <p class="foot faint">
        {formatTime(message.at)}
        {read !== null && <> · {t(read ? 'inbox.read' : 'inbox.sent')}</>}
        {!message.mine && !message.removed && message.kind === 'text' && (
          <button
            type="button"
            class="plain"
            aria-expanded={reporting}
            aria-label={t('inbox.report', { text: message.text.slice(0, 60) })}
            onClick={() => setReporting(!reporting)}
          >
            {t('report.comment')}
          </button>
        )}
      </p>
      {reporting && (
        <ReportForm
          report={(given) => client.reportMessage(one.id, message.id, given)}
          onDone={() => setReporting(false)}
        />
      )}
    </>
  );
}

/** A message that the service does not have yet. */
export function Waiting({ one }: { one: Outgoing }): JSX.Element {
  return (
    <li class="message mine waits">
      <div class="bubble">
        <p class="as-written" dir="auto">
          {one.text}
        </p>
      </div>
      {one.fault ? (
        <div class="hints" role="alert">
          <p>
            <strong>{t('inbox.notSent')}</strong> {faultText(one.fault)}
          </p>
          <div class="buttons">
            <button type="button" onClick={() => void sendAgain(one)}>
              {t('inbox.again')}
            </button>
            <button type="button" onClick={() => void discard(one)}>
              {t('inbox.discard')}
            </button>
          </div>
        </div>
      ) : (
        <p class="foot faint">{t('inbox.sending')}</p>
      )}
    </li>
  );
}
