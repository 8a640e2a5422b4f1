/** One change that somebody asks for: whether it is under way, what was wrong, when it may be tried again. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { pause, retryDelay, type Waiting, waiting } from './connection';
import { type Fault, toFault } from './fault';

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
   * Sent again when the connection is lost. Only for what may arrive twice without harm: a request with an idempotency
   * key or `ifMatch`, or one that leaves the same behind however often it is made (PUT, DELETE, most PATCH).
   */
  repeatable?: boolean;
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
        if (found.kind !== 'connection' || !repeatable || !mounted.current) throw error;
        await pause(retryDelay(failures, error as Error));
      }
    }
  }

  async function run(...given: Arguments): Promise<boolean> {
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
