import { accept, isTemporary, refusalOf, unchanged } from "./answers/answers.js";
import { headersOf, repeatable, search, type Call, type CallOptions, type ReconnectOption } from "./call.js";
import { NetworkError, ProblemError, retryAfter } from "./errors.js";
import { Operations } from "./generated/operations.gen.js";
import type {
  Ad,
  Event,
  StreamEventsData,
  StreamMyEventsData,
  StreamSearchAdsData,
  TokenPair,
} from "./generated/types.gen.js";
import { VERSION } from "./generated/version.gen.js";
import { Session, type SessionListener } from "./session/session.js";
import { indexedDBTokens, memoryTokens, type Tokens, type TokenStore } from "./session/tokens.js";
import { streamed, type PersonalEvent, type StreamedEvent } from "./streams.js";
import { exchange, type Answer, type OpenBody, type Request } from "./transport/exchange.js";
import { DEFAULT_RETRIES, Pauses, Retries, type RetryPolicy } from "./transport/retry.js";
import { multipart, rows } from "./transport/uploads.js";

export interface ClientOptions {
  /**
   * The address of the service, with its path prefix if there is one. In browsers it may be relative to the page, such
   * as `/api`. Without it, `ADSVC_BASE_URL` of the environment is used; then the page's own origin, or in Node
   * `http://127.0.0.1:8080`.
   */
  baseUrl?: string | URL | undefined;
  /** A key for programs (`adsvc_…`), which is sent with each call instead of a session. For servers, not for pages. */
  key?: string | undefined;
  /** Where the session is kept: by default `indexedDBTokens` of the address in browsers, and elsewhere in memory. */
  tokens?: TokenStore | undefined;
  retry?: Partial<RetryPolicy> | false | undefined;
  /** How long one attempt may take: by default 30, with files 300; 0 is for ever. */
  timeoutSeconds?: number | undefined;
  /** Instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Called after each attempt of each call, those that renew the session included: for logs and measurements. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** One request and its outcome. It has no secrets: neither headers, nor bodies, nor the query. */
export interface Attempt {
  readonly method: string;
  readonly path: string;
  /** From 1: which attempt of its call it is. */
  readonly number: number;
  readonly milliseconds: number;
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Why no answer came. */
  readonly error: NetworkError | undefined;
}

const TIMEOUT_SECONDS = 30;
const UPLOAD_TIMEOUT_SECONDS = 300;

// Lists of sessions show it. Browsers have their own.
const USER_AGENT =
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === undefined
    ? undefined
    : `adsvc-client/${VERSION}`;

// A proxy answers so when it does not know the outcome of the request.
const UNKNOWN_OUTCOMES: readonly number[] = [502, 504];

const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

type FollowOptions = CallOptions & ReconnectOption;
/** Of streams: a signal may be among the parameters too. */
type FollowQuery<Data extends { query?: unknown }> = NonNullable<Data["query"]> & FollowOptions;

/** The operations of adsvc by their names, with a session that is renewed automatically. */
export class AdsvcClient extends Operations {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  readonly #session: Session;

  constructor(options: ClientOptions = {}) {
    super();
    this.#options = options;
    this.#baseUrl = baseUrlOf(options.baseUrl).replace(/\/+$/, "");
    this.#session = new Session(options.tokens ?? defaultTokens(options.key, this.#baseUrl), {
      refresh: (token) => this.#refresh(token),
      revoke: (token) => this.revokeToken({ token }),
    });
  }

  /** Begins the session that all further calls belong to. */
  override async login(...args: Parameters<Operations["login"]>): Promise<TokenPair> {
    return this.#begin(await super.login(...args));
  }

  /** Begins the session, after a `login` that was refused with a challenge. */
  override async completeLogin(...args: Parameters<Operations["completeLogin"]>): Promise<TokenPair> {
    return this.#begin(await super.completeLogin(...args));
  }

  override async logInByPasskey(...args: Parameters<Operations["logInByPasskey"]>): Promise<TokenPair> {
    return this.#begin(await super.logInByPasskey(...args));
  }

  override async logInByProvider(...args: Parameters<Operations["logInByProvider"]>): Promise<TokenPair> {
    return this.#begin(await super.logInByProvider(...args));
  }

  override async linkIdentity(...args: Parameters<Operations["linkIdentity"]>): Promise<TokenPair> {
    return this.#begin(await super.linkIdentity(...args));
  }

  /** Ends the session here, and then on the service. */
  async logout(): Promise<void> {
    await this.#session.logout();
  }

  override async setPassword(...args: Parameters<Operations["setPassword"]>): Promise<TokenPair> {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- its callers get new tokens all the same
    return this.#begin(await super.setPassword(...args));
  }

  override async changePassword(...args: Parameters<Operations["changePassword"]>): Promise<TokenPair> {
    return this.#begin(await super.changePassword(...args));
  }

  override async deleteMe(...args: Parameters<Operations["deleteMe"]>): Promise<void> {
    await super.deleteMe(...args);
    await this.#session.forget("logout");
  }

  /**
   * Follows the log of events, for administrators and keys with `events:read`. It begins now, or behind `after`: the
   * `cursor` of an event, or `next` of `listEvents`, which begins with the oldest. It goes on where it was when the
   * connection is lost or the token is renewed. While the service cannot be reached or has no room, it tries again with
   * growing pauses, for ever. It ends with a refusal that stays (401, 403, 410 `CursorExpiredError`), or by the signal.
   */
  events(
    query: FollowQuery<StreamEventsData> = {},
    options: FollowOptions = {},
  ): AsyncGenerator<StreamedEvent<Event>, void, undefined> {
    return this.#follow<Event>("/events/stream", query, options);
  }

  /** Follows what concerns the caller: `unread`, then what is new, each time with `unread`. It goes on as `events` does. */
  myEvents(
    query: FollowQuery<StreamMyEventsData> = {},
    options: FollowOptions = {},
  ): AsyncGenerator<PersonalEvent, void, undefined> {
    return this.#follow("/users/me/stream", query, options) as AsyncGenerator<PersonalEvent, void, undefined>;
  }

  /** As `myEvents`, by one stream for all tabs of a browser that share the session. */
  mySharedEvents(options: FollowOptions = {}): AsyncIterable<PersonalEvent> {
    return this.#session.sharedEvents(
      (signal) => this.myEvents({}, { ...options, signal }),
      ({ type }) => type === "unread",
      options.signal,
    );
  }

  /** Follows the ads that come to match a saved search. It goes on as `events` does, and ends with the search. */
  searchAds(
    id: number,
    query: FollowQuery<StreamSearchAdsData> = {},
    options: FollowOptions = {},
  ): AsyncGenerator<StreamedEvent<Ad>, void, undefined> {
    return this.#follow<Ad>(`/users/me/searches/${String(id)}/ads/stream`, query, options);
  }

  /** The tokens of the session; null without one. */
  async tokens(): Promise<Tokens | null> {
    return this.#session.tokens();
  }

  /** Calls `listener` at login, logout and the end of the session, also in other tabs. Returns a function that stops it. */
  onSession(listener: SessionListener): () => void {
    return this.#session.subscribe(listener);
  }

  /** The whole address of a path in a record, such as `ad.image`. */
  url(path: string): string {
    return this.#baseUrl + path;
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#session.close();
  }

  protected override async call<Result>(call: Call): Promise<Result> {
    return (await this.#send(call, repeatable(call))) as Result;
  }

  async *#follow<Data>(
    path: string,
    { after: begin, type, ...among }: { after?: string; type?: readonly string[] } & FollowOptions,
    options_: FollowOptions,
  ): AsyncGenerator<StreamedEvent<Data>, void, undefined> {
    const { reconnect = true, ...rest } = { ...among, ...options_ };
    const options = reconnect ? { ...rest, retry: false as const } : rest;
    const pauses = new Pauses();
    let after = begin;
    for (;;) {
      const call: Call = { method: "GET", path, auth: true, answer: "stream", query: { type, after }, options };
      let retryAfter: number | undefined;
      try {
        for await (const event of streamed<Data>(await this.call<OpenBody>(call), options.signal)) {
          after = event.cursor;
          pauses.reset();
          yield event;
        }
      } catch (error) {
        if (!reconnect || !isPassing(error)) {
          throw error;
        }
        retryAfter = error instanceof ProblemError ? error.retryAfter : undefined;
      }
      await pauses.wait(options.signal, retryAfter);
    }
  }

  /** Repeats a lost refresh too: the service gives the same pair again for some seconds. */
  async #refresh(token: string): Promise<TokenPair> {
    const form = { grant_type: "refresh_token", refresh_token: token };
    return (await this.#send({ method: "POST", path: "/token", answer: "json", form, options: {} }, true)) as TokenPair;
  }

  async #begin(pair: TokenPair): Promise<TokenPair> {
    await this.#session.begin(pair);
    return pair;
  }

  async #send(call: Call, repeatLost: boolean): Promise<unknown> {
    const request = await this.#request(call);
    const { signal } = call.options;
    const retries = new Retries(retryPolicy(this.#options.retry, call.options.retry));
    let lost = false;
    let renewed = false;
    for (let number = 1; ; number += 1) {
      const { key } = this.#options;
      const token = call.auth === true ? (key ?? (await within(signal, this.#session.accessToken()))) : undefined;
      const answer = await this.#attempt(request, call, token, number);
      if (answer instanceof NetworkError || UNKNOWN_OUTCOMES.includes(answer.status)) {
        lost = true;
        if (repeatLost && (await retries.next(signal))) {
          continue;
        }
        throw answer instanceof NetworkError ? answer : await refusalOf(answer, lost);
      }
      if (answer.status < 300) {
        return accept(call, answer);
      }
      if (answer.status === 304) {
        return unchanged(call, answer);
      }
      if (answer.status === 404 && lost && call.method === "DELETE") {
        // The lost answer was that of the deletion.
        return undefined;
      }
      if (answer.status === 401 && token !== undefined && key === undefined && !renewed) {
        renewed = true;
        if ((await within(signal, this.#session.renew(token))) !== undefined) {
          continue;
        }
      }
      const error = await refusalOf(answer, lost);
      if (isTemporary(error, repeatLost) && (await retries.next(signal, retryAfter(answer.headers)))) {
        continue;
      }
      throw error;
    }
  }

  async #request(call: Call): Promise<Request> {
    const headers = headersOf(call);
    if (USER_AGENT !== undefined && !headers.has("user-agent")) {
      headers.set("user-agent", USER_AGENT);
    }
    const query = search({ ...call.query, validate: call.options.validate });
    const url = this.url(call.path) + (query === "" ? "" : `?${query}`);
    return { url, method: call.method, headers, body: await bodyOf(call) };
  }

  /** Returns the error of a lost answer, so that `#send` decides about all outcomes in one place. */
  async #attempt(
    request: Request,
    call: Call,
    token: string | undefined,
    number: number,
  ): Promise<Answer | NetworkError> {
    if (token !== undefined) {
      request.headers.set("authorization", `Bearer ${token}`);
    }
    const isUpload = call.parts !== undefined || call.text !== undefined;
    const usual = isUpload ? UPLOAD_TIMEOUT_SECONDS : TIMEOUT_SECONDS;
    const began = performance.now();
    const outcome = await lostOr(
      exchange(request, {
        fetch: this.#options.fetch,
        signal: call.options.signal,
        timeoutSeconds: call.options.timeoutSeconds ?? this.#options.timeoutSeconds ?? usual,
        onProgress: call.options.onProgress,
        streamed: call.answer === "stream",
      }),
    );
    const lost = outcome instanceof NetworkError;
    this.#options.onAttempt?.({
      method: call.method,
      path: call.path,
      number,
      milliseconds: performance.now() - began,
      status: lost ? undefined : outcome.status,
      requestId: lost ? undefined : (outcome.headers.get("x-request-id") ?? undefined),
      error: lost ? outcome : undefined,
    });
    return outcome;
  }
}

async function lostOr(answer: Promise<Answer>): Promise<Answer | NetworkError> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NetworkError) {
      return error;
    }
    throw error;
  }
}

/** Whether a connection may be opened later: nothing answered, or what did has no room or does not work now. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof NetworkError || (error instanceof ProblemError && (error.status >= 500 || BUSY.has(error.status)))
  );
}

function baseUrlOf(given: string | URL | undefined): string {
  const page = (globalThis as { location?: { href: string; origin: string } }).location;
  // By `globalThis`, so that bundlers for browsers need no `process`.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  // An empty variable counts as absent.
  const usual = [process?.env?.["ADSVC_BASE_URL"], page?.origin].find((url) => url !== undefined && url !== "");
  return new URL(given ?? usual ?? "http://127.0.0.1:8080", page?.href).href;
}

/** Each service has a session of its own, so that none gets the tokens of another. */
function defaultTokens(key: string | undefined, baseUrl: string): TokenStore {
  return key !== undefined || typeof indexedDB === "undefined" ? memoryTokens() : indexedDBTokens(baseUrl);
}

function retryPolicy(...choices: ClientOptions["retry"][]): RetryPolicy {
  return choices.reduce<RetryPolicy>(
    (policy, choice) => (choice === false ? { ...policy, attempts: 1 } : { ...policy, ...choice }),
    DEFAULT_RETRIES,
  );
}

async function bodyOf(call: Call): Promise<Request["body"]> {
  if (call.parts !== undefined) {
    return multipart(call.parts);
  }
  if (call.form !== undefined) {
    return new URLSearchParams(search(call.form));
  }
  if (call.text !== undefined) {
    return rows(call.text);
  }
  return call.json === undefined ? undefined : JSON.stringify(call.json);
}

/** Lets a caller cancel its wait for a promise that others await too. */
async function within<Result>(signal: AbortSignal | undefined, task: Promise<Result>): Promise<Result> {
  if (signal === undefined) {
    return task;
  }
  signal.throwIfAborted();
  let leave: (() => void) | undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's own reason
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave);
  });
  try {
    return await Promise.race([task, left]);
  } finally {
    signal.removeEventListener("abort", leave as unknown as () => void);
  }
}
