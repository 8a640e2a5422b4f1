/** The answer that data came with. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** The ETag of the record; with `ifMatch` a change depends on it. */
  readonly etag: string | undefined;
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined;
}

const answers = new WeakMap<object, ResponseInfo>();

export function responseInfo(status: number, headers: Headers): ResponseInfo {
  return {
    status,
    headers,
    etag: headers.get("etag") ?? undefined,
    requestId: headers.get("x-request-id") ?? undefined,
  };
}

export function remember(data: unknown, info: ResponseInfo): void {
  if (typeof data === "object" && data !== null) {
    answers.set(data, info);
  }
}

/** The answer that a record came with. Only the object that a call returned has one, not its parts or copies. */
export function responseOf(data: object): ResponseInfo | undefined {
  return answers.get(data);
}
