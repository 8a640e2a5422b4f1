import { NetworkError, TimeoutError } from "../errors.js";
import type { UploadProgress } from "./uploads.js";

export interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | URLSearchParams | FormData | Blob | undefined;
}

/** A complete answer; or, of a success that is to be streamed, its beginning. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Blob;
  readonly stream?: OpenBody;
}

/** A body that goes on. */
export interface OpenBody {
  readonly content: ReadableStream<Uint8Array>;
  /** Ends the connection. */
  readonly close: (reason?: unknown) => void;
}

export interface Exchange {
  readonly fetch: typeof globalThis.fetch | undefined;
  /** The caller's: when it is aborted, the exchange ends with its reason. */
  readonly signal: AbortSignal | undefined;
  readonly timeoutSeconds: number;
  readonly onProgress: ((progress: UploadProgress) => void) | undefined;
  readonly streamed?: boolean;
}

/** Sends a request and reads the answer to its end; `NetworkError` if that cannot be done, or not in time. */
export async function exchange(
  request: Request,
  { fetch, signal, timeoutSeconds, onProgress, streamed = false }: Exchange,
): Promise<Answer> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal?.reason);
  };
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort);
  const late = new TimeoutError(`No answer within ${String(timeoutSeconds)} seconds.`);
  const timer =
    timeoutSeconds > 0
      ? setTimeout(() => {
          controller.abort(late);
        }, timeoutSeconds * 1000)
      : undefined;
  let open = false;
  const close = (reason?: unknown): void => {
    signal?.removeEventListener("abort", abort);
    controller.abort(reason);
  };
  try {
    if (streamed) {
      const answer = await opened(request, controller.signal, close, fetch);
      open = answer.stream !== undefined;
      return answer;
    }
    // The caller's own fetch is always used: an XMLHttpRequest would not have what it adds.
    return onProgress !== undefined && fetch === undefined && typeof XMLHttpRequest !== "undefined"
      ? await byXhr(request, controller.signal, onProgress)
      : await byFetch(request, controller.signal, fetch, onProgress);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof NetworkError ? error : new NetworkError("No answer came.", { cause: error });
  } finally {
    clearTimeout(timer);
    if (!open) {
      signal?.removeEventListener("abort", abort);
    }
  }
}

async function byFetch(
  { url, method, headers, body }: Request,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch = globalThis.fetch,
  onProgress?: (progress: UploadProgress) => void,
): Promise<Answer> {
  const response = await fetch(url, { method, headers, body: body ?? null, signal });
  const answer = { status: response.status, headers: response.headers, body: await response.blob() };
  const total = body instanceof Blob ? body.size : body instanceof FormData ? sizeOf(body) : 0;
  onProgress?.({ loaded: total, total });
  return answer;
}

/** The head of an answer, and of a refusal its body. */
async function opened(
  { url, method, headers }: Request,
  signal: AbortSignal,
  close: OpenBody["close"],
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Answer> {
  const response = await fetch(url, { method, headers, signal });
  const head = { status: response.status, headers: response.headers };
  return response.ok && response.body !== null
    ? { ...head, body: new Blob(), stream: { content: response.body, close } }
    : { ...head, body: await response.blob() };
}

function byXhr(
  { url, method, headers, body }: Request,
  signal: AbortSignal,
  onProgress: (progress: UploadProgress) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    xhr.responseType = "blob";
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.upload.onprogress = ({ loaded, total }) => {
      onProgress({ loaded, total });
    };
    xhr.onload = () => {
      resolve({ status: xhr.status, headers: parseHeaders(xhr.getAllResponseHeaders()), body: xhr.response as Blob });
    };
    xhr.onerror = () => {
      reject(new NetworkError("No answer came."));
    };
    xhr.onabort = () => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's own reason
      reject(signal.reason);
    };
    signal.addEventListener("abort", () => {
      xhr.abort();
    });
    xhr.send(body ?? null);
  });
}

function parseHeaders(text: string): Headers {
  const headers = new Headers();
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
  }
  return headers;
}

/** The size of the parts, without the form around them. */
function sizeOf(form: FormData): number {
  let size = 0;
  for (const [, value] of form) {
    size += typeof value === "string" ? value.length : value.size;
  }
  return size;
}
