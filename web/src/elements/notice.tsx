/** Notices: successes, faults, and waiting times. */
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Waiting } from '../data/connection';
import type { Fault } from '../data/fault';
import { faultText } from '../data/faultText';
import { type MessageKey, t, type Values } from '../i18n';
import sprite from './icons.svg?url';

interface Said {
  /** Called at each rendering, as the language may change. */
  text: () => string;
  undo?: () => void;
  /** What the button says. */
  label?: MessageKey;
}

const notice = signal<Said | null>(null);
const BRIEFLY = 6000;
/** Long enough to read it and to reach the button. */
const FOR_UNDO = 10_000;
let timer: ReturnType<typeof setTimeout> | undefined;
let atEnd: ((isLeaving: boolean) => void) | undefined;

function say(said: Said, milliseconds = BRIEFLY, end?: typeof atEnd): void {
  hush();
  notice.value = said;
  atEnd = end;
  if (end) addEventListener('pagehide', leave, { once: true });
  timer = setTimeout(() => hush(), milliseconds);
}

function hush(isLeaving = false): void {
  clearTimeout(timer);
  notice.value = null;
  const end = atEnd;
  atEnd = undefined;
  end?.(isLeaving);
}

const leave = (): void => hush(true);

/** Shows for some seconds that something was done. */
export function announce(key: MessageKey, values: Values = {}): void {
  say({ text: () => t(key, values) });
}

/** As `announce`, with a button that takes it back. `end` is called when it is too late for that, or the page is left. */
export function announceUndo(
  key: MessageKey,
  undo: () => void,
  end?: typeof atEnd,
  label: MessageKey = 'undo',
): void {
  say({ text: () => t(key), undo, label }, FOR_UNDO, end);
}

/** For a control that has no room for a notice: its change has been undone. */
export function announceFault(fault: Fault): void {
  say({ text: () => faultText(fault) });
}

export function Toast(): JSX.Element {
  const said = notice.value;
  return (
    <div class="toast" role="status" aria-live="polite">
      {said && (
        <p>
          {said.text()}
          {said.undo && (
            <button
              type="button"
              onClick={() => {
                atEnd = undefined;
                hush();
                said.undo?.();
              }}
            >
              {t(said.label ?? 'undo')}
            </button>
          )}
        </p>
      )}
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
      {fault.appealToken && <a href={`/account/appeal#token=${fault.appealToken}`}>{t('appeal.read')}</a>}
      {fault.slug === 'second-factor-missing' && <a href="/account/security">{t('security.setUp')}</a>}
    </div>
  );
}

export interface EmptyProps {
  drawing?: 'nothing' | 'bell' | 'box' | 'heart' | 'lock' | 'talk';
  text: ComponentChildren;
  /** The way on, as a button. */
  to?: { href: string; text: string; primary?: boolean } | undefined;
  /** Buttons, where it is not one link. */
  children?: ComponentChildren;
}

/** Where there is nothing: a drawing, a sentence, and most often a button. */
export function Empty({ drawing = 'nothing', text, to, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <svg class="icon empty-drawing" width="120" height="96" aria-hidden="true" focusable="false">
        <use href={`${sprite}#draw-${drawing}`} />
      </svg>
      <p>{text}</p>
      {to && (
        <a class={to.primary ? 'button primary' : 'button'} href={to.href}>
          {to.text}
        </a>
      )}
      {children && <div class="buttons">{children}</div>}
    </div>
  );
}
