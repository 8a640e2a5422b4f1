export { AdsvcClient, type Attempt, type ClientOptions } from "./client.js";
export type {
  CallOptions,
  IdempotencyKeyOption,
  IfMatchOption,
  IfNoneMatchOption,
  ProgressOption,
  ReconnectOption,
  ValidateOption,
} from "./call.js";
export { AdsvcError, NetworkError, NotModifiedError, ProblemError, TimeoutError, TokenRequestError } from "./errors.js";
export { Pages } from "./pages.js";
export { responseOf, type ResponseInfo } from "./answers/responses.js";
export type { RetryPolicy } from "./transport/retry.js";
export type { SessionEvent, SessionListener } from "./session/session.js";
export { indexedDBTokens, localStorageTokens, memoryTokens, type Tokens, type TokenStore } from "./session/tokens.js";
export type { NotificationEvent, PersonalEvent, StreamedEvent } from "./streams.js";
export type { Text, Upload, UploadProgress } from "./transport/uploads.js";
export { verifyWebhook, WebhookVerificationError, type WebhookEvent, type WebhookHeaders } from "./webhooks.js";
export * from "./generated/problems.gen.js";
export type * from "./generated/types.gen.js";
export { VERSION } from "./generated/version.gen.js";
