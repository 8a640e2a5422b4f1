/** What came along with the data of an answer. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** Of the record as it was told; a change can be made to depend on it with `ifMatch`. */
  readonly etag: string | undefined;
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined;
}

const told = new WeakMap<object, ResponseInfo>();

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
    told.set(data, info);
  }
}

/** The answer that a record came with: of the very object that a call returned, not of its parts or copies. */
export function responseOf(data: object): ResponseInfo | undefined {
  return told.get(data);
}
