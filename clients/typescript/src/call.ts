import { responseOf, type ResponseInfo } from "./answers/responses.js";
import type { RetryPolicy } from "./transport/retry.js";
import type { Text, UploadProgress } from "./transport/uploads.js";

/** The options of every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** False: the first refusal, or a lost answer, ends the call. */
  retry?: Partial<RetryPolicy> | false | undefined;
  /** How long one attempt may take, from its first byte to the last of the answer; 0 is for ever. */
  timeoutSeconds?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called with a successful answer before the call returns. */
  onResponse?: ((response: ResponseInfo) => void) | undefined;
}

/** Of streams. */
export interface ReconnectOption {
  /** False: a stream ends with the error of a connection that cannot be opened, after the attempts of `retry`. */
  reconnect?: boolean;
}

/** Of calls that change a resource with an ETag. */
export interface IfMatchOption {
  /**
   * The state to change: the record as a call returned it, or its ETag. If it has changed since, the call ends with
   * `PreconditionFailedError`. Without this option the change is made in any case.
   */
  ifMatch?: string | object | undefined;
}

/** Of calls that read a resource with an ETag. */
export interface IfNoneMatchOption {
  /**
   * The state that was read before: the record as a call returned it, or its ETag. If it has not changed, the answer has
   * no body: the call returns the same record, or with an ETag ends with `NotModifiedError`.
   */
  ifNoneMatch?: string | object | undefined;
}

/** Of calls that are safe to repeat because they have an idempotency key. */
export interface IdempotencyKeyOption {
  /** Without it each call gets its own key, for all its attempts. */
  idempotencyKey?: string | undefined;
}

/** Of calls that send files. */
export interface ProgressOption {
  /** In browsers by XMLHttpRequest. Elsewhere it is called once, at the end. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Of calls that create or change. */
export interface ValidateOption {
  /** Only checks the request: nothing is stored, and all its faults are refused at once. */
  validate: true;
}

/** One operation with its arguments, as the generated methods pass it on. */
export interface Call {
  readonly method: string;
  readonly path: string;
  /** Whether it needs an access token. */
  readonly auth?: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  readonly keyed?: boolean;
  /** The kind of body that is returned; none if absent. */
  readonly answer?: "json" | "blob" | "stream";
  readonly query?: object;
  readonly json?: unknown;
  /** Rows, as objects or as comma-separated values. */
  readonly text?: Text;
  readonly form?: object;
  readonly parts?: Readonly<Record<string, unknown>>;
  readonly options: CallOptions &
    IfMatchOption &
    IfNoneMatchOption &
    IdempotencyKeyOption &
    ProgressOption &
    Partial<ValidateOption>;
}

/** A second attempt would be refused after a successful first one: the password, or the account, is gone. */
const ONCE = new Set(["PATCH /users/set_password", "DELETE /users/me"]);

/** Whether a request may be sent again when the outcome of the first is unknown. */
export function repeatable(call: Call): boolean {
  return call.method === "POST" ? call.keyed === true : !ONCE.has(`${call.method} ${call.path}`);
}

export function segment(value: string | number): string {
  return encodeURIComponent(value);
}

type Value = string | number | boolean | null | undefined;

export function search(values: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values) as [string, Value | readonly Value[]][]) {
    for (const one of Array.isArray(value) ? (value as readonly Value[]) : [value as Value]) {
      if (one !== undefined && one !== null) {
        parameters.append(name, String(one));
      }
    }
  }
  return parameters.toString();
}

/** All headers but the access token's, which may change from one attempt to the next. */
export function headersOf(call: Call): Headers {
  const { options } = call;
  const headers = new Headers(options.headers);
  if (call.json !== undefined) {
    headers.set("content-type", "application/json");
  }
  if (options.ifMatch !== undefined) {
    headers.set("if-match", etagOf("ifMatch", options.ifMatch));
  }
  if (options.ifNoneMatch !== undefined) {
    headers.set("if-none-match", etagOf("ifNoneMatch", options.ifNoneMatch));
  }
  if (call.keyed === true) {
    headers.set("idempotency-key", options.idempotencyKey ?? newKey());
  }
  return headers;
}

function etagOf(option: string, read: string | object): string {
  const etag = typeof read === "string" ? read : responseOf(read)?.etag;
  if (etag === undefined) {
    throw new TypeError(
      `${option}: take the record that a call returned, not a copy or an entry of a list, or its ETag.`,
    );
  }
  return etag;
}

/** Not `randomUUID`, which browsers have in secure contexts only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
