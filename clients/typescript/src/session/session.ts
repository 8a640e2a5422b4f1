import { TokenRequestError } from "../errors.js";
import type { TokenPair } from "../generated/types.gen.js";
import { sharedEvents } from "./sharedEvents.js";
import type { Tokens, TokenStore } from "./tokens.js";

export interface SessionEvent {
  /** `login` begins a session, `logout` ends it. `ended`: the service does not accept it any more. */
  type: "login" | "logout" | "ended";
  /** Whether it happened in another tab, which shares the tokens. */
  remote: boolean;
}

export type SessionListener = (event: SessionEvent) => void;

/** The two requests that a session makes by itself. */
export interface SessionRequests {
  refresh(refreshToken: string): Promise<TokenPair>;
  revoke(token: string): Promise<void>;
}

// A token is renewed a little before it expires: requests take time, and clocks are not equally fast.
const USED_PART = 0.9;

/** Keeps an access token ready. A refresh token is good for one use, so concurrent callers share one refresh. */
export class Session {
  readonly #store: TokenStore;
  readonly #requests: SessionRequests;
  readonly #listeners = new Set<SessionListener>();
  readonly #channel: BroadcastChannel | undefined;
  #renewal: Promise<string | undefined> | undefined;

  constructor(store: TokenStore, requests: SessionRequests) {
    this.#store = store;
    this.#requests = requests;
    this.#channel = store.shared === undefined ? undefined : openChannel(store.shared, this.#notify);
  }

  /** The stored tokens; null without a session. */
  async tokens(): Promise<Tokens | null> {
    return await this.#store.get();
  }

  /** An access token that has not expired, by this machine's clock; undefined without a session. */
  async accessToken(): Promise<string | undefined> {
    const tokens = await this.#store.get();
    return tokens !== null && tokens.renewAt <= Date.now() ? this.renew(tokens.accessToken) : tokens?.accessToken;
  }

  /** The access token after `used`, which has expired or was refused; undefined when the session has ended. */
  async renew(used: string): Promise<string | undefined> {
    this.#renewal ??= this.#exclusively(() => this.#renew(used)).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async begin(pair: TokenPair): Promise<void> {
    await this.#store.set(tokensOf(pair));
    this.#announce("login");
  }

  /** Deletes the tokens, and then ends the session at the service. */
  async logout(): Promise<void> {
    const tokens = await this.#store.get();
    if (tokens !== null) {
      await this.forget("logout");
      await this.#requests.revoke(tokens.refreshToken);
    }
  }

  async forget(type: "logout" | "ended"): Promise<void> {
    await this.#store.set(null);
    this.#announce(type);
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  close(): void {
    this.#channel?.close();
    this.#listeners.clear();
  }

  async #renew(used: string): Promise<string | undefined> {
    const before = await this.#store.get();
    if (before === null || (before.accessToken !== used && before.renewAt > Date.now())) {
      // Another tab has logged out, or was faster.
      return before?.accessToken;
    }
    let pair: TokenPair | undefined;
    try {
      pair = await this.#requests.refresh(before.refreshToken);
    } catch (error) {
      if (!(error instanceof TokenRequestError && error.error === "invalid_grant")) {
        throw error;
      }
    }
    const now = await this.#store.get();
    if (pair !== undefined && now?.refreshToken === pair.refresh_token) {
      // Another tab has refreshed at the same moment, and got the same tokens.
      return pair.access_token;
    }
    if (now?.refreshToken !== before.refreshToken) {
      // A logout or a login has happened meanwhile: the refreshed session is not in use any more.
      if (pair !== undefined) {
        await this.#requests.revoke(pair.refresh_token);
      }
      return now?.accessToken;
    }
    if (pair === undefined) {
      await this.forget("ended");
      return undefined;
    }
    await this.#store.set(tokensOf(pair));
    return pair.access_token;
  }

  /**
   * The events of one stream for all tabs that share the tokens: one tab at a time reads it, and passes each event on to
   * the others. Each tab reads a stream of its own where there are no locks. A tab that joins gets the last event for
   * which `isState` is true.
   */
  sharedEvents<Event>(
    open: (signal: AbortSignal | undefined) => AsyncIterable<Event>,
    isState: (event: Event) => boolean,
    signal: AbortSignal | undefined,
  ): AsyncIterable<Event> {
    const locks = this.#locks();
    return locks === undefined ? open(signal) : sharedEvents(locks, `${this.#name}:events`, open, isState, signal);
  }

  /** Across tabs, where there are any that share the tokens. */
  async #exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#locks()?.request(this.#name, task) ?? task();
  }

  get #name(): string {
    return `adsvc:${this.#store.shared ?? ""}`;
  }

  /** Node has locks from version 24 on, and browsers in secure contexts only. */
  #locks(): LockManager | undefined {
    return this.#store.shared === undefined
      ? undefined
      : (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  }

  #announce(type: SessionEvent["type"]): void {
    this.#channel?.postMessage(type);
    this.#notify({ type, remote: false });
  }

  readonly #notify = (event: SessionEvent): void => {
    for (const listener of this.#listeners) {
      listener(event);
    }
  };
}

function tokensOf(pair: TokenPair): Tokens {
  return {
    accessToken: pair.access_token,
    refreshToken: pair.refresh_token,
    renewAt: Date.now() + pair.expires_in * 1000 * USED_PART,
  };
}

function openChannel(name: string, notify: SessionListener): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === "undefined") {
    return undefined;
  }
  const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(`adsvc:${name}`);
  channel.onmessage = (message: MessageEvent<SessionEvent["type"]>) => {
    notify({ type: message.data, remote: true });
  };
  // In Node an open channel would keep the process alive.
  channel.unref?.();
  return channel;
}
