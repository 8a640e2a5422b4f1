import { AdsvcError, ProblemError, TokenRequestError, typeOf } from "../errors.js";
import { CLASSES_BY_STATUS, CLASSES_BY_TYPE } from "../generated/problem-classes.gen.js";
import type { Problem, TokenError } from "../generated/types.gen.js";
import type { ResponseInfo } from "./responses.js";

/** The error for an answer without success. `body` is its JSON; undefined if it has none. */
export function refusal(body: unknown, response: ResponseInfo, afterLostAnswer: boolean): AdsvcError {
  if (isTokenError(body)) {
    return new TokenRequestError(body, response);
  }
  const problem = isProblem(body) ? body : unexplained(response.status);
  const Class = CLASSES_BY_TYPE[typeOf(problem)] ?? CLASSES_BY_STATUS[response.status] ?? ProblemError;
  return new Class(problem, response, afterLostAnswer);
}

function isProblem(body: unknown): body is Problem {
  return isObject(body) && typeof body["type"] === "string" && typeof body["detail"] === "string";
}

function isTokenError(body: unknown): body is TokenError {
  return isObject(body) && typeof body["error"] === "string";
}

function isObject(body: unknown): body is Record<string, unknown> {
  return typeof body === "object" && body !== null;
}

/** Answers of a proxy have no problem document. */
function unexplained(status: number): Problem {
  const title = `HTTP status ${String(status)}`;
  return { type: "about:blank", title, status, detail: `${title}, without an explanation.`, instance: "" };
}
