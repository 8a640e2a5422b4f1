import type { FaultDetail, Problem, TokenError } from "./generated/types.gen.js";
import type { ProblemType } from "./generated/problems.gen.js";
import type { ResponseInfo } from "./answers/responses.js";

/** The base of all errors of a call, except wrong arguments (`TypeError`) and an aborted signal. */
export class AdsvcError extends Error {
  override readonly name: string = "AdsvcError";
}

/** No answer came. The outcome of the request is unknown. */
export class NetworkError extends AdsvcError {
  override readonly name: string = "NetworkError";
}

/** The answer did not come in the time that `timeoutSeconds` gives it. */
export class TimeoutError extends NetworkError {
  override readonly name: string = "TimeoutError";
}

/** The resource still has the ETag of `ifNoneMatch`. */
export class NotModifiedError extends AdsvcError {
  override readonly name: string = "NotModifiedError";
}

/** The service refused. Each status has a class, and below it each type of problem. */
export class ProblemError extends AdsvcError {
  override readonly name: string = "ProblemError";
  readonly status: number;
  /**
   * As `/problems#ad-not-found`, also where the service has a path prefix. `about:blank` when something else than the
   * service answered, such as a proxy.
   */
  readonly type: ProblemType | (string & {});
  readonly title: string;
  readonly detail: string;
  /** What is wrong with the request, and where. */
  readonly errors: readonly FaultDetail[];
  /** The whole document, with members that only some types have. */
  readonly problem: Problem;
  readonly response: ResponseInfo;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** True when an earlier attempt got no answer: that attempt may have been carried out. */
  readonly afterLostAnswer: boolean;

  constructor(problem: Problem, response: ResponseInfo, afterLostAnswer = false) {
    super([problem.detail, ...(problem.errors ?? []).map(sentenceOf)].join("\n"));
    this.status = response.status;
    this.type = typeOf(problem);
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.problem = problem;
    this.response = response;
    this.retryAfter = retryAfter(response.headers);
    this.afterLostAnswer = afterLostAnswer;
  }
}

/** As a line of the message: `/title: must have at least 1 character`. */
function sentenceOf({ part, parameter, pointer, detail }: FaultDetail): string {
  const place = [part, parameter, pointer].filter((name) => name !== undefined && name !== "").join(" ");
  return `  ${place}: ${detail}`;
}

/** The type from `/problems#` on: before that stands the prefix or the address of a service. */
export function typeOf({ type }: Problem): string {
  return type.replace(/^.*(?=\/problems#)/, "");
}

/** A token request was refused, in the words of OAuth 2.0 (RFC 6749 §5.2). */
export class TokenRequestError extends AdsvcError {
  override readonly name: string = "TokenRequestError";
  readonly status: number;
  readonly error: TokenError["error"];
  readonly response: ResponseInfo;

  constructor(refusal: TokenError, response: ResponseInfo) {
    super(refusal.error_description);
    this.status = response.status;
    this.error = refusal.error;
    this.response = response;
  }
}

/** `Retry-After` in seconds; it may also be a date (RFC 9110 §10.2.3). */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) {
    return undefined;
  }
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
