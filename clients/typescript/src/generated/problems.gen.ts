// Made by scripts/generate.js from the table of problem types.
import { ProblemError } from "../errors.js";

/** Status 400, whatever its type. */
export class BadRequestError extends ProblemError {
  override readonly name: string = "BadRequestError";
}

/** Status 401, whatever its type. */
export class UnauthorizedError extends ProblemError {
  override readonly name: string = "UnauthorizedError";
}

/** Status 403, whatever its type. */
export class ForbiddenError extends ProblemError {
  override readonly name: string = "ForbiddenError";
}

/** Status 404, whatever its type. */
export class NotFoundError extends ProblemError {
  override readonly name: string = "NotFoundError";
}

/** Status 405, whatever its type. */
export class MethodNotAllowedError extends ProblemError {
  override readonly name: string = "MethodNotAllowedError";
}

/** Status 412, whatever its type. */
export class PreconditionFailedError extends ProblemError {
  override readonly name: string = "PreconditionFailedError";
}

/** Status 413, whatever its type. */
export class ContentTooLargeError extends ProblemError {
  override readonly name: string = "ContentTooLargeError";
}

/** Status 415, whatever its type. */
export class UnsupportedMediaTypeError extends ProblemError {
  override readonly name: string = "UnsupportedMediaTypeError";
}

/** Status 416, whatever its type. */
export class RangeNotSatisfiableError extends ProblemError {
  override readonly name: string = "RangeNotSatisfiableError";
}

/** Status 422, whatever its type. */
export class UnprocessableContentError extends ProblemError {
  override readonly name: string = "UnprocessableContentError";
}

/** Status 429, whatever its type. */
export class TooManyRequestsError extends ProblemError {
  override readonly name: string = "TooManyRequestsError";
}

/** Status 500, whatever its type. */
export class InternalServerError extends ProblemError {
  override readonly name: string = "InternalServerError";
}

/** Status 503, whatever its type. */
export class ServiceUnavailableError extends ProblemError {
  override readonly name: string = "ServiceUnavailableError";
}

/** Status 409, whatever its type. */
export class ConflictError extends ProblemError {
  override readonly name: string = "ConflictError";
}

/** Status 410, whatever its type. */
export class GoneError extends ProblemError {
  override readonly name: string = "GoneError";
}

/** The request is not valid. Something is missing, malformed or outside its limits. `errors` lists everything. */
export class InvalidRequestError extends BadRequestError {
  override readonly name: string = "InvalidRequestError";
}

/** The image cannot be used. The file cannot be decoded, or has too many pixels. */
export class InvalidImageError extends BadRequestError {
  override readonly name: string = "InvalidImageError";
}

/** Credentials are needed. Send `Authorization: Bearer` with a token from `/login` that has not expired. */
export class UnauthenticatedError extends UnauthorizedError {
  override readonly name: string = "UnauthenticatedError";
}

/** The credentials are not valid. The credentials in `Authorization` are malformed, have expired, belong to a session that has ended, or use a scheme that is not accepted. Log in again. */
export class InvalidCredentialsError extends UnauthorizedError {
  override readonly name: string = "InvalidCredentialsError";
}

/** The user name or the password is wrong. The answer does not say which of the two it is. */
export class WrongCredentialsError extends UnauthorizedError {
  override readonly name: string = "WrongCredentialsError";
}

/** A second factor is needed. The user name and the password are right, or the OpenID provider knows the person. Send `challenge` with a code of the authenticator app, or a recovery code, to `POST /login/second-factor` within five minutes. HTTP Basic is not accepted for such accounts: programs use keys. */
export class SecondFactorRequiredError extends UnauthorizedError {
  override readonly name: string = "SecondFactorRequiredError";
}

/** The challenge is not valid. It is malformed, was used or has expired, or the password has changed since. Begin the login again. */
export class InvalidChallengeError extends UnauthorizedError {
  override readonly name: string = "InvalidChallengeError";
}

/** The page may not send this change. Where HTTP Basic is accepted, a change is refused if `Origin` or `Sec-Fetch-Site` says that a page of another origin sent it, unless `ADSVC_CORS_ORIGINS` has that origin. */
export class CrossSiteError extends ForbiddenError {
  override readonly name: string = "CrossSiteError";
}

/** This kind of image is not supported. JPEG, PNG and WebP are accepted. The content decides, not the name or declared type. */
export class UnsupportedImageError extends UnsupportedMediaTypeError {
  override readonly name: string = "UnsupportedImageError";
}

/** The key belongs to another request. An `Idempotency-Key` belongs to one request for 24 hours: its method, its address and its content. Use a new key for another request. Nothing was changed. */
export class IdempotencyKeyReusedError extends UnprocessableContentError {
  override readonly name: string = "IdempotencyKeyReusedError";
}

/** Too many attempts. Wait for as many seconds as the header `Retry-After` says. */
export class RateLimitedError extends TooManyRequestsError {
  override readonly name: string = "RateLimitedError";
}

/** Too many uploads at once. `detail` has the limit of an account. Send the next upload when one has finished. */
export class TooManyUploadsError extends TooManyRequestsError {
  override readonly name: string = "TooManyUploadsError";
}

/** Too many streams at once. `detail` has the limit of an account at one process. Close a stream first. */
export class TooManyStreamsError extends TooManyRequestsError {
  override readonly name: string = "TooManyStreamsError";
}

/** The service failed. The request is not at fault. Quote `instance` when you report it. */
export class InternalError extends InternalServerError {
  override readonly name: string = "InternalError";
}

/** The service is not available. The database cannot be reached at present. Try again after `Retry-After` seconds. */
export class UnavailableError extends ServiceUnavailableError {
  override readonly name: string = "UnavailableError";
}

/** The image store is not available. Pictures can be neither stored nor read at present. Nothing was changed. */
export class ImageStoreUnavailableError extends ServiceUnavailableError {
  override readonly name: string = "ImageStoreUnavailableError";
}

/** The disk is nearly full. Pictures, or everything that adds text, is refused until the operator has made room. Reading, deleting and logging in work. Nothing was changed. */
export class DiskNearlyFullError extends ServiceUnavailableError {
  override readonly name: string = "DiskNearlyFullError";
}

/** The service is overloaded. Nothing was changed. Try again after `Retry-After` seconds. */
export class OverloadedError extends ServiceUnavailableError {
  override readonly name: string = "OverloadedError";
}

/** The user name is taken. User names are unique without regard to case. */
export class UsernameTakenError extends ConflictError {
  override readonly name: string = "UsernameTakenError";
}

/** An authenticator app is set up. Send its `code`, or a recovery code, along to replace it. */
export class AlreadySetError extends ConflictError {
  override readonly name: string = "AlreadySetError";
}

/** An account signs in with it already. Remove it from the account that signs in with it, or log in with it there. */
export class IdentityTakenError extends ConflictError {
  override readonly name: string = "IdentityTakenError";
}

/** The mail address is that of an account. Confirm that it is yours: send `challenge` and `currentPassword` to `POST /login/oidc/link` within an hour, or follow the link in the mail. Both count in the browser that began the login. */
export class LinkRequiredError extends ConflictError {
  override readonly name: string = "LinkRequiredError";
}

/** It is the last way to sign in. Set up a password first, by `POST /password/forgot`. */
export class LastSignInError extends ConflictError {
  override readonly name: string = "LastSignInError";
}

/** Another ad has this external id. An account uses each `externalId` only once. `PUT /ads/by-external-id/{externalId}` changes the ad that has it. */
export class ExternalIdTakenError extends ConflictError {
  override readonly name: string = "ExternalIdTakenError";
}

/** Another import is under way. An account has one import at a time. `GET /imports/{id}` says how far it has come. */
export class ImportInProgressError extends ConflictError {
  override readonly name: string = "ImportInProgressError";
}

/** The import does not wait for a confirmation. It runs, has ended, or was replaced by another one. */
export class ImportNotWaitingError extends ConflictError {
  override readonly name: string = "ImportNotWaitingError";
}

/** The category would be its own ancestor. The parent is the category itself or one below it. */
export class CategoryCycleError extends ConflictError {
  override readonly name: string = "CategoryCycleError";
}

/** The category is in use. It has ads or children. Give them another category, or another parent, first. */
export class CategoryInUseError extends ConflictError {
  override readonly name: string = "CategoryInUseError";
}

/** The ad's status does not allow this. `from` is the status, and `allowed` lists the steps that it allows. Another request may have changed it meanwhile. */
export class IllegalTransitionError extends ConflictError {
  override readonly name: string = "IllegalTransitionError";
}

/** The account's storage is full. Its pictures or its texts, as `detail` says, use `used` of `quota` bytes. Delete some to make room. */
export class QuotaExceededError extends ConflictError {
  override readonly name: string = "QuotaExceededError";
}

/** The ad would have too many pictures. `detail` says how many it may have. Nothing was stored. */
export class TooManyImagesError extends ConflictError {
  override readonly name: string = "TooManyImagesError";
}

/** It is your own ad. What was requested is possible for ads of other accounts only. */
export class OwnAdError extends ConflictError {
  override readonly name: string = "OwnAdError";
}

/** The ad's last picture cannot be deleted. Only a draft may have no picture. Replace it, or add another one first. */
export class LastImageError extends ConflictError {
  override readonly name: string = "LastImageError";
}

/** The first request with this key is in progress. Send it again with the same `Idempotency-Key` after `Retry-After` seconds. Then the answer is that of the first request, or, if that failed, the request is carried out. */
export class IdempotencyInProgressError extends ConflictError {
  override readonly name: string = "IdempotencyInProgressError";
}

/** The cursor is not valid here any more. It is of another list, order or filter, or the site's secret has changed since. In the log, the event may be too old, or the database was restored since. Begin the list anew, without a cursor; of the log, read what you need anew first. */
export class CursorExpiredError extends GoneError {
  override readonly name: string = "CursorExpiredError";
}

/** The case is decided. Another moderator may have decided it meanwhile. To change a decision, undo it. */
export class CaseDecidedError extends ConflictError {
  override readonly name: string = "CaseDecidedError";
}

/** The reported thing no longer exists. Its author deleted it. The case can still be dismissed, or the account suspended. */
export class ThingGoneError extends ConflictError {
  override readonly name: string = "ThingGoneError";
}

/** The decision is no longer in force. It was undone, has ended or was replaced, or it is itself one that undid another. */
export class DecisionEndedError extends ConflictError {
  override readonly name: string = "DecisionEndedError";
}

/** An appeal is not possible. One appeal is possible against a decision, within 180 days and while it is in force. None is possible against a decision about an appeal. */
export class AppealNotPossibleError extends ConflictError {
  override readonly name: string = "AppealNotPossibleError";
}

/** This is not possible with the offer. `detail` says why, and `allowed` lists what the caller may do to the offer instead. Another request may have changed it, or the ad, meanwhile. */
export class OfferNotPossibleError extends ConflictError {
  override readonly name: string = "OfferNotPossibleError";
}

/** The deal can be rated no longer. The 14 days after the sale are over, or the other account was deleted. */
export class RatingClosedError extends ConflictError {
  override readonly name: string = "RatingClosedError";
}

/** The deal is rated. Each party rates once. */
export class AlreadyRatedError extends ConflictError {
  override readonly name: string = "AlreadyRatedError";
}

/** The rating is answered. One answer is possible. */
export class AlreadyAnsweredError extends ConflictError {
  override readonly name: string = "AlreadyAnsweredError";
}

/** There are too many of these. `detail` says how many there may be. Delete one to make room. */
export class TooManyError extends ConflictError {
  override readonly name: string = "TooManyError";
}

/** The deletion cannot be undone. The user name or the external id is taken by now, or the account of the ad is gone: undo its deletion first. */
export class UndoNotPossibleError extends ConflictError {
  override readonly name: string = "UndoNotPossibleError";
}

/** The webhook is disabled. Nothing is sent to it. `PATCH` it with `enabled: true` first. */
export class WebhookDisabledError extends ConflictError {
  override readonly name: string = "WebhookDisabledError";
}

/** The environment of the service sets this. The environment of the service sets this member of the site, so it is changed there. `detail` names the variable. */
export class FixedByEnvironmentError extends ConflictError {
  override readonly name: string = "FixedByEnvironmentError";
}

/** There are ads with prices. There are ads, whose prices this would change. `adsvc site set-decimals` converts them. */
export class HasAdsError extends ConflictError {
  override readonly name: string = "HasAdsError";
}

/** The set-up is no longer possible. The link of the set-up is wrong, was used, is older than 30 minutes, or there is a newer one or an administrator. `adsvc setup-link` prints a new one while there is no administrator. */
export class SetupEndedError extends GoneError {
  override readonly name: string = "SetupEndedError";
}

/** An invitation is required. `registration` of `GET /site` is `invitation`: send the code of an invitation that has not expired, and is not used up, as `invitation`. */
export class InvitationRequiredError extends BadRequestError {
  override readonly name: string = "InvitationRequiredError";
}

/** The terms must be accepted. The site has terms: send the `version` of `terms` of `GET /site` as `acceptedTerms`, once the person has accepted them. */
export class TermsRequiredError extends BadRequestError {
  override readonly name: string = "TermsRequiredError";
}

/** The link is not valid. Its token is unknown, was used or has expired, or the account's password or mail address has changed since. */
export class InvalidTokenError extends BadRequestError {
  override readonly name: string = "InvalidTokenError";
}

/** The passkey cannot be registered. The authenticator's answer is malformed, was made for another site, account or challenge, or did not verify its user; or the passkey is registered already. */
export class InvalidPasskeyError extends BadRequestError {
  override readonly name: string = "InvalidPasskeyError";
}

/** The second factor is wrong. The code is wrong or was used before, each counts once; or the passkey is unknown, or its answer not valid. The challenge is still good. */
export class WrongFactorError extends UnauthorizedError {
  override readonly name: string = "WrongFactorError";
}

/** The current password is wrong. A new password, a new mail address and the deletion of an account require the current password. */
export class WrongPasswordError extends ForbiddenError {
  override readonly name: string = "WrongPasswordError";
}

/** A new login is required. A key outlives the session that makes it. So it requires the current password, or a login of the last five minutes. */
export class LoginRequiredError extends ForbiddenError {
  override readonly name: string = "LoginRequiredError";
}

/** The code is wrong. It is neither a current code of the authenticator app nor an unused recovery code. Each counts once. */
export class WrongCodeError extends ForbiddenError {
  override readonly name: string = "WrongCodeError";
}

/** A second factor must be set up. The operator requires one of this account (`ADSVC_SECOND_FACTOR`). Until it is set up by `POST /users/me/totp`, a session can do nothing else, and keys are refused. */
export class SecondFactorMissingError extends ForbiddenError {
  override readonly name: string = "SecondFactorMissingError";
}

/** The key lacks a scope. `scope` is what the operation needs; a `write` contains its `read`. Use a key that has it. The scopes of a key do not change. */
export class InsufficientScopeError extends ForbiddenError {
  override readonly name: string = "InsufficientScopeError";
}

/** A key may not do this. Keys, passwords, second factors, sessions, and export and deletion of the account are for people who have logged in. Send the token of a session. */
export class SessionRequiredError extends ForbiddenError {
  override readonly name: string = "SessionRequiredError";
}

/** The mail address is not confirmed. The site requires a mail address that was confirmed by the link sent to it. `PATCH /users/me` sets it, `POST /users/me/mail/verification` sends the link once more. */
export class MailNotVerifiedError extends ForbiddenError {
  override readonly name: string = "MailNotVerifiedError";
}

/** There is no such ad. It never existed, was deleted, or only its author sees it. */
export class AdNotFoundError extends NotFoundError {
  override readonly name: string = "AdNotFoundError";
}

/** There is no such category. `GET /categories` lists them all. */
export class CategoryNotFoundError extends NotFoundError {
  override readonly name: string = "CategoryNotFoundError";
}

/** There is no such comment. It never existed, was deleted, or belongs to another ad. */
export class CommentNotFoundError extends NotFoundError {
  override readonly name: string = "CommentNotFoundError";
}

/** There is no such session. It has ended, or is not yours. */
export class SessionNotFoundError extends NotFoundError {
  override readonly name: string = "SessionNotFoundError";
}

/** There is no such key. It was deleted, or is not yours. */
export class KeyNotFoundError extends NotFoundError {
  override readonly name: string = "KeyNotFoundError";
}

/** There is no such passkey. It was deleted, or is not yours. */
export class PasskeyNotFoundError extends NotFoundError {
  override readonly name: string = "PasskeyNotFoundError";
}

/** There is no such provider. The site has no such OpenID provider, or has it no more. */
export class ProviderNotFoundError extends NotFoundError {
  override readonly name: string = "ProviderNotFoundError";
}

/** There is no such identity. It was removed, or is not yours. */
export class IdentityNotFoundError extends NotFoundError {
  override readonly name: string = "IdentityNotFoundError";
}

/** There is no such browser. It was removed, its session has ended, or it is not yours. */
export class PushNotFoundError extends NotFoundError {
  override readonly name: string = "PushNotFoundError";
}

/** There is no such image. It was replaced or deleted. Get the ad again for its current pictures. */
export class ImageNotFoundError extends NotFoundError {
  override readonly name: string = "ImageNotFoundError";
}

/** The account is suspended. User name and password are right. `until` is when the suspension ends, in milliseconds since 1970-01-01T00:00Z; it is absent if there is no end. `explanation` has the reasons. `POST /decisions/read` and `POST /decisions/appeal` take `appealToken`. */
export class SuspendedError extends ForbiddenError {
  override readonly name: string = "SuspendedError";
}

/** There is no such case. It never existed, was deleted with the author's account, or its retention has ended. */
export class CaseNotFoundError extends NotFoundError {
  override readonly name: string = "CaseNotFoundError";
}

/** There is no such decision. It never existed, its retention has ended, or it concerns another account. */
export class DecisionNotFoundError extends NotFoundError {
  override readonly name: string = "DecisionNotFoundError";
}

/** There is no such account. It never existed, or was deleted. */
export class AccountNotFoundError extends NotFoundError {
  override readonly name: string = "AccountNotFoundError";
}

/** One of the two has blocked the other. Neither can write to the other until the block is removed. */
export class BlockedError extends ForbiddenError {
  override readonly name: string = "BlockedError";
}

/** The network is refused. The operator refuses all requests from this network for a time. */
export class NetworkRefusedError extends ForbiddenError {
  override readonly name: string = "NetworkRefusedError";
}

/** The conversation is closed. The account of the other party was deleted. The messages can still be read. */
export class ClosedError extends ForbiddenError {
  override readonly name: string = "ClosedError";
}

/** There is no such conversation. It never existed, its retention has ended, or the caller is no party of it. */
export class ConversationNotFoundError extends NotFoundError {
  override readonly name: string = "ConversationNotFoundError";
}

/** There is no such offer. It never existed, or belongs to a conversation of others. */
export class OfferNotFoundError extends NotFoundError {
  override readonly name: string = "OfferNotFoundError";
}

/** There is no such deal. It never existed, or is one of others. */
export class DealNotFoundError extends NotFoundError {
  override readonly name: string = "DealNotFoundError";
}

/** There is no such rating. It never existed, is not shown yet, or moderators have removed it. */
export class RatingNotFoundError extends NotFoundError {
  override readonly name: string = "RatingNotFoundError";
}

/** There is no such message. It never existed, or belongs to another conversation. */
export class MessageNotFoundError extends NotFoundError {
  override readonly name: string = "MessageNotFoundError";
}

/** There is no such webhook. It never existed, or was deleted. */
export class WebhookNotFoundError extends NotFoundError {
  override readonly name: string = "WebhookNotFoundError";
}

/** There is no such delivery. It never existed, belongs to another webhook, or its retention has ended. */
export class DeliveryNotFoundError extends NotFoundError {
  override readonly name: string = "DeliveryNotFoundError";
}

/** Registration is closed. The site takes no new accounts: `registration` of `GET /site` is `closed`. */
export class RegistrationClosedError extends ForbiddenError {
  override readonly name: string = "RegistrationClosedError";
}

/** The site does not offer this. The site does without this: `features` of `GET /site`. `feature` names it. */
export class FeatureOffError extends ForbiddenError {
  override readonly name: string = "FeatureOffError";
}

/** The site is in maintenance. The operator has closed the site, or all changes, for a time. `detail` has the operator's own words. Nothing was changed. Try again after `Retry-After` seconds. */
export class MaintenanceError extends ServiceUnavailableError {
  override readonly name: string = "MaintenanceError";
}

/** `type` of a `ProblemError`. */
export type ProblemType =
  | "/problems#invalid-request"
  | "/problems#invalid-image"
  | "/problems#unauthenticated"
  | "/problems#invalid-credentials"
  | "/problems#wrong-credentials"
  | "/problems#second-factor-required"
  | "/problems#invalid-challenge"
  | "/problems#forbidden"
  | "/problems#cross-site"
  | "/problems#not-found"
  | "/problems#method-not-allowed"
  | "/problems#precondition-failed"
  | "/problems#content-too-large"
  | "/problems#unsupported-media-type"
  | "/problems#unsupported-image"
  | "/problems#range-not-satisfiable"
  | "/problems#idempotency-key-reused"
  | "/problems#rate-limited"
  | "/problems#too-many-uploads"
  | "/problems#too-many-streams"
  | "/problems#internal-error"
  | "/problems#unavailable"
  | "/problems#image-store-unavailable"
  | "/problems#disk-nearly-full"
  | "/problems#overloaded"
  | "/problems#username-taken"
  | "/problems#already-set"
  | "/problems#identity-taken"
  | "/problems#link-required"
  | "/problems#last-sign-in"
  | "/problems#external-id-taken"
  | "/problems#import-in-progress"
  | "/problems#import-not-waiting"
  | "/problems#category-cycle"
  | "/problems#category-in-use"
  | "/problems#illegal-transition"
  | "/problems#quota-exceeded"
  | "/problems#too-many-images"
  | "/problems#own-ad"
  | "/problems#last-image"
  | "/problems#idempotency-in-progress"
  | "/problems#gone"
  | "/problems#cursor-expired"
  | "/problems#case-decided"
  | "/problems#thing-gone"
  | "/problems#decision-ended"
  | "/problems#appeal-not-possible"
  | "/problems#offer-not-possible"
  | "/problems#rating-closed"
  | "/problems#already-rated"
  | "/problems#already-answered"
  | "/problems#too-many"
  | "/problems#undo-not-possible"
  | "/problems#webhook-disabled"
  | "/problems#fixed-by-environment"
  | "/problems#has-ads"
  | "/problems#setup-ended"
  | "/problems#invitation-required"
  | "/problems#terms-required"
  | "/problems#invalid-token"
  | "/problems#invalid-passkey"
  | "/problems#wrong-factor"
  | "/problems#wrong-password"
  | "/problems#login-required"
  | "/problems#wrong-code"
  | "/problems#second-factor-missing"
  | "/problems#insufficient-scope"
  | "/problems#session-required"
  | "/problems#mail-not-verified"
  | "/problems#ad-not-found"
  | "/problems#category-not-found"
  | "/problems#comment-not-found"
  | "/problems#session-not-found"
  | "/problems#key-not-found"
  | "/problems#passkey-not-found"
  | "/problems#provider-not-found"
  | "/problems#identity-not-found"
  | "/problems#push-not-found"
  | "/problems#image-not-found"
  | "/problems#suspended"
  | "/problems#case-not-found"
  | "/problems#decision-not-found"
  | "/problems#account-not-found"
  | "/problems#blocked"
  | "/problems#network-refused"
  | "/problems#closed"
  | "/problems#conversation-not-found"
  | "/problems#offer-not-found"
  | "/problems#deal-not-found"
  | "/problems#rating-not-found"
  | "/problems#message-not-found"
  | "/problems#webhook-not-found"
  | "/problems#delivery-not-found"
  | "/problems#registration-closed"
  | "/problems#feature-off"
  | "/problems#maintenance";
