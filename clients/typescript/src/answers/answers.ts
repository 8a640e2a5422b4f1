import type { Call } from "../call.js";
import { AdsvcError, NotModifiedError, ProblemError } from "../errors.js";
import { UnavailableError } from "../generated/problems.gen.js";
import { refusal } from "./refusals.js";
import { remember, responseInfo } from "./responses.js";
import type { Answer } from "../transport/exchange.js";

/** The result of a call after a success. */
export async function accept(call: Call, answer: Answer): Promise<unknown> {
  const info = responseInfo(answer.status, answer.headers);
  const data = call.answer === undefined || answer.status === 204 ? undefined : await read(call.answer, answer);
  remember(data, info);
  call.options.onResponse?.(info);
  return data;
}

async function read(kind: "json" | "blob" | "stream", { headers, body, stream }: Answer): Promise<unknown> {
  if (kind === "stream") {
    if (stream === undefined) {
      throw new AdsvcError("The answer is no stream: it comes from something else than adsvc.");
    }
    return stream;
  }
  if (kind === "blob") {
    return body;
  }
  const data = await parsed(headers, body);
  if (data === undefined) {
    throw new AdsvcError("The answer is not JSON: it comes from something else than adsvc.");
  }
  return data;
}

/** The result of a call after a 304: the record that was read before. */
export function unchanged({ options }: Call, { status, headers }: Answer): unknown {
  if (typeof options.ifNoneMatch !== "object") {
    throw new NotModifiedError("What the ETag belongs to is still the same.");
  }
  options.onResponse?.(responseInfo(status, headers));
  return options.ifNoneMatch;
}

/** The error for any other answer. `lost`: whether an earlier attempt got no answer. */
export async function refusalOf({ status, headers, body }: Answer, lost: boolean): Promise<AdsvcError> {
  return refusal(await parsed(headers, body), responseInfo(status, headers), lost);
}

/** Undefined for a body that is not JSON, whatever its type. */
async function parsed(headers: Headers, body: Blob): Promise<unknown> {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "")) {
    return undefined;
  }
  try {
    return JSON.parse(await body.text()) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether the same request may succeed a little later, and has not been done already. */
export function isTemporary(error: AdsvcError, repeatLost: boolean): boolean {
  return (
    error instanceof ProblemError &&
    (error.status === 429 ||
      // The first request with the key is still being carried out.
      (error.status === 409 && error.retryAfter !== undefined) ||
      // The database may have been lost in the middle of a commit.
      (error.status === 503 && (repeatLost || !(error instanceof UnavailableError))))
  );
}
