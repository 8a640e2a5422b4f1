export interface RetryPolicy {
  /** How often a request is sent at most, the first time included. */
  attempts: number;
  /** How long all waits of a call may last together. A longer `Retry-After` ends the call with its refusal at once. */
  maxWaitSeconds: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 4, maxWaitSeconds: 30 };

const FIRST_DELAY = 0.25;

/** Counts the attempts of one call and the time it has waited. */
export class Retries {
  readonly #policy: RetryPolicy;
  #attempts = 1;
  #waited = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /**
   * Waits until the next attempt is due; false when there is to be none.
   *
   * `retryAfter` is in seconds. Waits are spread, so that clients that were refused together do not return together.
   */
  async next(signal: AbortSignal | undefined, retryAfter?: number): Promise<boolean> {
    const delay =
      retryAfter === undefined ? this.#backoff() : retryAfter + Math.random() * Math.max(0.25, retryAfter / 4);
    const enough = this.#attempts >= this.#policy.attempts;
    // What `Retry-After` says decides, so that the same refusal ends or repeats a call each time.
    if (enough || this.#waited + (retryAfter ?? delay) > this.#policy.maxWaitSeconds) {
      return false;
    }
    this.#attempts += 1;
    this.#waited += delay;
    await sleep(delay, signal);
    return true;
  }

  #backoff(): number {
    return FIRST_DELAY * 2 ** (this.#attempts - 1) * (0.5 + Math.random() / 2);
  }
}

const LONGEST_PAUSE = 30;

/** The pauses between the connections of a stream: they grow until `reset`, and never end the stream. */
export class Pauses {
  #next = FIRST_DELAY;

  reset(): void {
    this.#next = FIRST_DELAY;
  }

  /** Spread, so that clients that were disconnected together do not return together. `retryAfter` is in seconds. */
  async wait(signal: AbortSignal | undefined, retryAfter = 0): Promise<void> {
    const pause = this.#next * (0.5 + Math.random() / 2);
    this.#next = Math.min(this.#next * 2, LONGEST_PAUSE);
    await sleep(retryAfter + pause, signal);
  }
}

async function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // The reason is the caller's own, whatever it is.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
