/** Whether the service can be reached, and when a failed request is tried again. */
import { effect, signal } from '@preact/signals';
import { toFault } from './fault';

export type WaitReason = 'connection' | 'busy' | 'limit';

export interface Waiting {
  reason: WaitReason;
  /** By `Date.now()`. */
  until: number;
}

/** The notice above the page; null while all is well. */
export const waiting = signal<Waiting | null>(null);
export const offline = signal(!navigator.onLine);
/** When what the page shows was true, by `Date.now()`, if the service worker had to answer; null while it is new. */
export const keptSince = signal<number | null>(null);

const LONGEST = 15_000;

export function retryDelay(attempt: number, error: Error): number {
  const fault = toFault(error);
  const backoff = Math.min(LONGEST, 1000 * 2 ** attempt);
  const delay = fault.retryAfter === null ? backoff : fault.retryAfter * 1000;
  // Also called for requests that are not tried again.
  if (mayRetry(attempt, error)) waiting.value = { reason: reasonOf(error), until: Date.now() + delay };
  return delay;
}

function reasonOf(error: Error): WaitReason {
  const fault = toFault(error);
  if (fault.kind === 'connection') return 'connection';
  return fault.status === 429 ? 'limit' : 'busy';
}

/** Requests that may succeed later are tried again: without a connection for as long as it takes. */
export function mayRetry(failures: number, error: Error): boolean {
  const fault = toFault(error);
  if (fault.kind === 'connection') return true;
  if (fault.status === 503) return failures < 5;
  return fault.status === 429 && failures < 2;
}

/** Called for every answer. */
export function answered({ headers }: Response): void {
  const kept = headers.get('kept-since');
  if (kept === null) keptSince.value = null;
  else
    keptSince.value = Math.min(Date.parse(kept) || Date.now(), keptSince.peek() ?? Number.POSITIVE_INFINITY);
}

/** Ends after `milliseconds`, or as soon as the browser has a connection again. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const stop = (): void => {
      done();
      reject(signal?.reason);
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener('online', done);
    signal?.addEventListener('abort', stop);
  });
}

/** `refetch` loads what has failed, `renew` what is shown. */
export function startConnection(refetch: () => void, renew: () => void): void {
  let wasKept = false;
  effect(() => {
    const isKept = keptSince.value !== null;
    if (wasKept && !isKept) renew();
    wasKept = isKept;
    if (!isKept) return;
    const looking = setInterval(renew, LONGEST);
    return () => clearInterval(looking);
  });
  addEventListener('offline', () => {
    offline.value = true;
  });
  addEventListener('online', () => {
    offline.value = false;
    waiting.value = null;
    refetch();
    if (keptSince.peek() !== null) renew();
  });
}
