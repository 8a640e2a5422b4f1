/** Notices: successes, faults, and waiting times. */
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Waiting } from '../data/connection';
import type { Fault } from '../data/fault';
import { faultText } from '../data/faultText';
import { type MessageKey, t, type Values } from '../i18n';

/** Called at each rendering, as the language may change. */
const notice = signal<(() => string) | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

function say(text: () => string): void {
  clearTimeout(timer);
  notice.value = text;
  timer = setTimeout(() => {
    notice.value = null;
  }, 6000);
}

/** Shows for some seconds that something was done. */
export function announce(key: MessageKey, values: Values = {}): void {
  say(() => t(key, values));
}

/** For a control that has no room for a notice: its change has been undone. */
export function announceFault(fault: Fault): void {
  say(() => faultText(fault));
}

export function Toast(): JSX.Element {
  return (
    <div class="toast" role="status" aria-live="polite">
      {notice.value && <p>{notice.value()}</p>}
    </div>
  );
}

export function useSecondsUntil(until: number | null): number {
  const left = until === null ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1000));
  const [, setTick] = useState(0);
  useEffect(() => {
    if (until === null) return;
    const ticking = setInterval(() => setTick((tick) => tick + 1), 500);
    return () => clearInterval(ticking);
  }, [until]);
  return left;
}

export function Countdown({ waiting }: { waiting: Waiting }): JSX.Element {
  const seconds = useSecondsUntil(waiting.until);
  // The figure changes every second, which a screen reader should not read aloud each time.
  return (
    <p role="alert">
      {t(`waiting.${waiting.reason}`)}{' '}
      <span aria-hidden="true">{t('waiting.seconds', { count: seconds })}</span>
    </p>
  );
}

export function FaultNotice({
  fault,
  limited,
}: {
  fault: Fault | null;
  limited?: Waiting | null;
}): JSX.Element | null {
  if (limited) {
    return (
      <div class="notice bad">
        <Countdown waiting={limited} />
      </div>
    );
  }
  if (!fault) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{faultText(fault)}</p>
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}
