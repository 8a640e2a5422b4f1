/** One change by the person: whether it is running, its fault, and when it may be tried again. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { pause, retryDelay, type Waiting, waiting } from './connection';
import { type Fault, toFault } from './fault';
import { isStale, proveFactor } from './stepUp';
import { acceptTerms } from './terms';

export interface Action<Arguments extends unknown[]> {
  run: (...given: Arguments) => Promise<boolean>;
  busy: boolean;
  fault: Fault | null;
  /** Too many attempts: until then the button is off. */
  limited: Waiting | null;
  clear: () => void;
}

export interface ActionOptions {
  /**
   * Repeated when the connection is lost. Only for requests that may arrive twice without harm: with an idempotency
   * key or `ifMatch`, or with the same result however often they are sent (PUT, DELETE, most PATCH).
   */
  repeatable?: boolean;
}

/** Whether the person has added what a change was refused for. */
async function isMended(found: Fault, error: unknown): Promise<boolean> {
  if (isStale(found)) return proveFactor(error);
  return found.status === 403 && found.slug === 'terms-required' && acceptTerms();
}

export function useAction<Arguments extends unknown[]>(
  work: (...given: Arguments) => Promise<void>,
  { repeatable = false }: ActionOptions = {},
): Action<Arguments> {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [limited, setLimited] = useState<Waiting | null>(null);
  const mounted = useRef(true);
  useEffect(
    () => () => {
      mounted.current = false;
    },
    [],
  );

  async function attempt(given: Arguments): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        await work(...given);
        return;
      } catch (error) {
        const found = toFault(error);
        if (await isMended(found, error)) continue;
        if (found.kind !== 'connection' || !repeatable || !mounted.current) throw error;
        await pause(retryDelay(failures, error as Error));
      }
    }
  }

  async function run(...given: Arguments): Promise<boolean> {
    const settle = keepFocus();
    setBusy(true);
    setFault(null);
    try {
      await attempt(given);
      return true;
    } catch (error) {
      const found = toFault(error);
      if (mounted.current) {
        setFault(found);
        if (found.status === 429) limit(found);
      }
      return false;
    } finally {
      if (mounted.current) setBusy(false);
      waiting.value = null;
      settle();
    }
  }

  function limit(found: Fault): void {
    const milliseconds = (found.retryAfter ?? 10) * 1000;
    setLimited({ reason: 'limit', until: Date.now() + milliseconds });
    setTimeout(() => {
      if (!mounted.current) return;
      setLimited(null);
      setFault((current) => (current === found ? null : current));
    }, milliseconds);
  }

  return { run, busy, fault, limited, clear: () => setFault(null) };
}

/** In milliseconds: the page shows by then what a change has done. */
const OUTCOME = 2000;
const REACHABLE = 'a[href], button:not(:disabled), summary, [tabindex]';

/** A button that is off during its action, or gone after it, loses the focus: it goes back to it, or to what is in its place. */
function keepFocus(): () => void {
  const pressed = document.activeElement;
  if (!(pressed instanceof HTMLElement) || pressed === document.body) return () => undefined;
  const around: Element[] = [];
  for (let one = pressed.parentElement; one && one !== document.body; one = one.parentElement)
    around.push(one);
  const inPlace = (): HTMLElement | null => {
    for (const one of around) {
      const next = one.isConnected ? one.querySelector<HTMLElement>(REACHABLE) : null;
      if (next) return next;
    }
    return null;
  };
  return () => {
    const until = performance.now() + OUTCOME;
    let given: HTMLElement | null = pressed;
    const look = (): void => {
      if (document.activeElement === document.body) {
        given = pressed.isConnected ? pressed : inPlace();
        given?.focus({ preventScroll: true });
      } else if (document.activeElement !== given) {
        return; // The person has gone on.
      }
      if (performance.now() < until) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
}

/** An idempotency key: with the same key, the service carries out repeated attempts once. */
export function newKey(): string {
  // `randomUUID` exists in secure contexts only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
