// Made by scripts/generate.js from openapi.json.
import {
  segment,
  type Call,
  type CallOptions,
  type IdempotencyKeyOption,
  type IfMatchOption,
  type IfNoneMatchOption,
  type ProgressOption,
  type ValidateOption,
} from "../call.js";
import { Pages } from "../pages.js";
import type { Text, Upload } from "../transport/uploads.js";
import type * as T from "./types.gen.js";

export abstract class Operations {
  protected abstract call<Result>(call: Call): Promise<Result>;

  /**
   * Log in
   *
   * Checks a user name and a password, begins a session and returns its tokens.
   *
   * With an authenticator app the answer is 401 `second-factor-required` with a `challenge`:
   * `POST /login/second-factor` takes that and a code.
   *
   * Anyone may call it. Attempts are limited by account and by address; a suspended account is
   * refused with 403.
   *
   * `POST /login`
   */
  login(body: T.LoginData["body"], options: CallOptions = {}): Promise<T.LoginResponses[200]> {
    return this.call({ method: "POST", path: "/login", answer: "json", json: body, options });
  }

  /**
   * Complete a login by a second factor
   *
   * Takes the challenge of a login, and a code of the authenticator app or a recovery code;
   * begins a session and returns its tokens.
   *
   * Anyone who has the challenge may call it. A challenge works once, within five minutes, and a
   * code once. Wrong codes count towards the same limits as wrong passwords.
   *
   * `POST /login/second-factor`
   */
  completeLogin(body: T.CompleteLoginData["body"], options: CallOptions = {}): Promise<T.CompleteLoginResponses[200]> {
    return this.call({ method: "POST", path: "/login/second-factor", answer: "json", json: body, options });
  }

  /**
   * Create an account
   *
   * Creates an account and returns it. Log in to get tokens.
   *
   * Anyone may call it; registrations are limited by address. The account is always an ordinary one:
   * the operator makes moderators and administrators. If the user name is a mail address, it becomes
   * the account's address and receives a link that confirms it.
   *
   * `POST /register`
   */
  register(body: T.RegisterData["body"], options: CallOptions & IdempotencyKeyOption & ValidateOption): Promise<void>;
  register(
    body: T.RegisterData["body"],
    options?: CallOptions & IdempotencyKeyOption,
  ): Promise<T.RegisterResponses[201]>;
  register(
    body: T.RegisterData["body"],
    options: CallOptions & IdempotencyKeyOption & Partial<ValidateOption> = {},
  ): Promise<T.RegisterResponses[201] | void> {
    return this.call({ method: "POST", path: "/register", keyed: true, answer: "json", json: body, options });
  }

  /**
   * Set up a new site
   *
   * Creates the first administrator, sets the site and loads categories, all of it or nothing,
   * and returns the account.
   *
   * Anyone who has the link of the set-up may call it, once: `adsvc serve` prints it while there is
   * no administrator.
   *
   * `POST /setup`
   */
  setUp(body: T.SetUpData["body"], options: CallOptions = {}): Promise<T.SetUpResponses[201]> {
    return this.call({ method: "POST", path: "/setup", answer: "json", json: body, options });
  }

  /**
   * Request tokens (OAuth 2.0)
   *
   * Begins a session by user name and password, or renews the tokens of one by its refresh token.
   *
   * This is OAuth 2.0's token endpoint for public clients (RFC 6749 §4.3 and §6). Refusals are in
   * its own format (§5.2). A refresh token works once. A second use within ten seconds gets the same
   * pair again, as long as that was not renewed; any other ends the session. Passwords count towards
   * the same limits as `POST /login`.
   *
   * An account with an authenticator app is refused (`invalid_grant`): its owner logs in by `POST
   * /login`, and its programs use a key.
   *
   * `POST /token`
   */
  issueToken(body: T.IssueTokenData["body"], options: CallOptions = {}): Promise<T.IssueTokenResponses[200]> {
    return this.call({ method: "POST", path: "/token", answer: "json", form: body, options });
  }

  /**
   * End a session
   *
   * Ends the session that a refresh token or an access token belongs to (RFC 7009).
   *
   * Anyone who has the token may call it. An unknown token is not an error: the answer is 200 as
   * well.
   *
   * `POST /revoke`
   */
  revokeToken(body: T.RevokeTokenData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/revoke", form: body, options });
  }

  /**
   * Get the caller's account
   *
   * Returns the caller's account, with the bytes that its pictures use.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me`
   */
  getMe(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetMeResponses[200]> {
    return this.call({ method: "GET", path: "/users/me", auth: true, answer: "json", options });
  }

  /**
   * Delete the caller's account
   *
   * Deletes the caller's account with its ads, pictures, comments and sessions at once. For a
   * time that the operator sets, administrators can bring it back.
   *
   * The current password confirms it, in an account without one a login of the last five minutes. A
   * wrong one is refused with 403 and counts as an attempt to log in.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me`
   */
  deleteMe(body: T.DeleteMeData["body"], options: CallOptions & IfMatchOption = {}): Promise<void> {
    return this.call({ method: "DELETE", path: "/users/me", auth: true, json: body, options });
  }

  /**
   * Change the caller's account
   *
   * Changes the members that are sent, and returns the account.
   *
   * A new `mail` requires `currentPassword`. The address receives a link and counts once the link
   * was followed; until then a confirmed address stays in use and is informed of the change. Counts
   * towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `PATCH /users/me`
   */
  updateMe(body: T.UpdateMeData["body"], options: CallOptions & IfMatchOption & ValidateOption): Promise<void>;
  updateMe(body: T.UpdateMeData["body"], options?: CallOptions & IfMatchOption): Promise<T.UpdateMeResponses[200]>;
  updateMe(
    body: T.UpdateMeData["body"],
    options: CallOptions & IfMatchOption & Partial<ValidateOption> = {},
  ): Promise<T.UpdateMeResponses[200] | void> {
    return this.call({ method: "PATCH", path: "/users/me", auth: true, answer: "json", json: body, options });
  }

  /**
   * Get the caller's limits
   *
   * Returns the limits of the caller's plan, and what is left of them. It counts towards none.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/limits`
   */
  getMyLimits(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetMyLimitsResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/limits", auth: true, answer: "json", options });
  }

  /**
   * Accept the terms of the site
   *
   * Notes that the caller has accepted the terms in force, and when. Another version is refused.
   *
   * Counts towards the account's limit on changes.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/me/terms`
   */
  acceptTerms(body: T.AcceptTermsData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/users/me/terms", auth: true, json: body, options });
  }

  /**
   * Replace the caller's avatar
   *
   * Stores a picture as the caller's avatar, deletes the one before, and returns the account.
   *
   * Counts towards the account's limits on uploads and on what its pictures may use.
   *
   * A key needs the scope `account:write`.
   *
   * `PATCH /users/me/image`
   */
  replaceMyImage(
    file: Upload,
    options: CallOptions & IfMatchOption & ProgressOption = {},
  ): Promise<T.ReplaceMyImageResponses[200]> {
    return this.call({
      method: "PATCH",
      path: "/users/me/image",
      auth: true,
      answer: "json",
      parts: { image: file },
      options,
    });
  }

  /**
   * Export everything stored about the caller
   *
   * Returns everything stored about the caller's account as one JSON document, without the
   * password's hash.
   *
   * A session of an account with a second factor must have proved it in the last five minutes. An
   * account may have one export under way, and a limited number an hour. The document is sent in
   * pieces; if it breaks off, it is not valid JSON.
   *
   * Needs a session: a key is refused.
   *
   * `GET /users/me/export`
   */
  exportMe(options: CallOptions = {}): Promise<T.ExportMeResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/export", auth: true, answer: "json", options });
  }

  /**
   * Export everything stored about an account
   *
   * Returns what `GET /users/me/export` returns to the owner of the account, who cannot log in.
   *
   * Administrators may. They may have one export under way, and a limited number an hour. Each is in
   * the audit trail.
   *
   * Needs a session: a key is refused.
   *
   * `GET /users/{id}/export`
   */
  exportUser(id: T.ExportUserData["path"]["id"], options: CallOptions = {}): Promise<T.ExportUserResponses[200]> {
    return this.call({ method: "GET", path: `/users/${segment(id)}/export`, auth: true, answer: "json", options });
  }

  /**
   * Export the caller's ads as CSV
   *
   * Returns the caller's drafts, and the ads that everyone sees, as CSV with the columns that
   * `POST /imports` takes.
   *
   * An account may have one export under way, and a limited number an hour.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /users/me/export/ads`
   */
  exportMyAds(options: CallOptions = {}): Promise<Blob> {
    return this.call({ method: "GET", path: "/users/me/export/ads", auth: true, answer: "blob", options });
  }

  /**
   * Change the caller's password
   *
   * Sets a new password, ends all sessions of the account, and returns the tokens of a new one.
   *
   * The current password confirms it. A wrong one is refused with 403 and counts as an attempt to
   * log in.
   *
   * Deprecated: use `changePassword`, which does the same.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/set_password`
   *
   * @deprecated
   */
  setPassword(body: T.SetPasswordData["body"], options: CallOptions = {}): Promise<T.SetPasswordResponses[200]> {
    return this.call({ method: "POST", path: "/users/set_password", auth: true, answer: "json", json: body, options });
  }

  /**
   * Change the caller's password
   *
   * Sets a new password, ends all sessions of the account, and returns the tokens of a new one.
   *
   * The current password confirms it. A wrong one is refused with 403 and counts as an attempt to
   * log in.
   *
   * Needs a session: a key is refused.
   *
   * `PATCH /users/set_password`
   */
  changePassword(
    body: T.ChangePasswordData["body"],
    options: CallOptions = {},
  ): Promise<T.ChangePasswordResponses[200]> {
    return this.call({ method: "PATCH", path: "/users/set_password", auth: true, answer: "json", json: body, options });
  }

  /**
   * List where the caller is logged in
   *
   * Returns all sessions of the caller's account, the most recently used first.
   *
   * Needs a session: a key is refused.
   *
   * `GET /users/me/sessions`
   */
  listMySessions(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMySessionsResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/sessions", auth: true, answer: "json", options });
  }

  /**
   * Log out one session
   *
   * Ends one session of the caller's account. Its tokens stop working at once.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me/sessions/{id}`
   */
  endMySession(id: T.EndMySessionData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/sessions/${segment(id)}`, auth: true, options });
  }

  /**
   * List the caller's keys
   *
   * Returns all keys of the caller's account, the newest first, also those that have expired.
   *
   * Their secrets are not among what is returned.
   *
   * Needs a session: a key is refused.
   *
   * `GET /users/me/keys`
   */
  listMyKeys(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMyKeysResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/keys", auth: true, answer: "json", options });
  }

  /**
   * Create a key for a program
   *
   * Creates a key, and returns it with its secret, which cannot be read again.
   *
   * A program sends the secret as `Authorization: Bearer`. The key can do what its account may and
   * its scopes allow, until it expires, is deleted, or the account is; it outlives sessions and
   * passwords. The current password is needed, unless the login was in the last five minutes. The
   * account gets a mail. It may have 20 keys. Counts towards the account's limit on changes.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/me/keys`
   */
  createKey(body: T.CreateKeyData["body"], options: CallOptions = {}): Promise<T.CreateKeyResponses[201]> {
    return this.call({ method: "POST", path: "/users/me/keys", auth: true, answer: "json", json: body, options });
  }

  /**
   * Delete a key
   *
   * Deletes a key of the caller's account. It stops working at once.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me/keys/{id}`
   */
  deleteKey(id: T.DeleteKeyData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/keys/${segment(id)}`, auth: true, options });
  }

  /**
   * Begin to set up an authenticator app
   *
   * Returns a new secret for an authenticator app (RFC 6238). It counts once a code confirms it.
   *
   * The current password is needed, in an account without one a login of the last five minutes, and
   * to replace an app that is set up, its `code` too. A wrong
   * one counts as an attempt to log in.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/me/totp`
   */
  createTotp(body: T.CreateTotpData["body"], options: CallOptions = {}): Promise<T.CreateTotpResponses[200]> {
    return this.call({ method: "POST", path: "/users/me/totp", auth: true, answer: "json", json: body, options });
  }

  /**
   * Remove the authenticator app
   *
   * Removes the app with its recovery codes. A login needs the password alone from then on.
   *
   * A code is needed, and the current password or, in an account without one, a login of the last
   * five minutes. A wrong one counts as an attempt to log in. The
   * account gets a mail.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me/totp`
   */
  deleteTotp(body: T.DeleteTotpData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: "/users/me/totp", auth: true, json: body, options });
  }

  /**
   * Confirm the authenticator app
   *
   * Sets the app up by its first code, and returns ten recovery codes, which replace older ones.
   *
   * From then on a login needs a code beside the password. All other sessions of the account end,
   * and it gets a mail. A wrong code counts as an attempt to log in.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/me/totp/confirm`
   */
  confirmTotp(body: T.ConfirmTotpData["body"], options: CallOptions = {}): Promise<T.ConfirmTotpResponses[200]> {
    return this.call({
      method: "POST",
      path: "/users/me/totp/confirm",
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Begin to add a passkey
   *
   * Returns what a browser needs to make a passkey.
   *
   * The current password is needed, too, unless the login was in the last five minutes.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/me/passkeys/options`
   */
  beginPasskey(body?: T.BeginPasskeyData["body"], options: CallOptions = {}): Promise<T.BeginPasskeyResponses[200]> {
    return this.call({
      method: "POST",
      path: "/users/me/passkeys/options",
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List the caller's passkeys
   *
   * Returns all passkeys of the caller's account, the newest first.
   *
   * Needs a session: a key is refused.
   *
   * `GET /users/me/passkeys`
   */
  listMyPasskeys(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMyPasskeysResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/passkeys", auth: true, answer: "json", options });
  }

  /**
   * Add a passkey
   *
   * Adds the passkey that an authenticator made. All other sessions of the account end, and it
   * gets a mail. It may have 20 passkeys.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/me/passkeys`
   */
  createPasskey(body: T.CreatePasskeyData["body"], options: CallOptions = {}): Promise<T.CreatePasskeyResponses[201]> {
    return this.call({ method: "POST", path: "/users/me/passkeys", auth: true, answer: "json", json: body, options });
  }

  /**
   * Remove a passkey
   *
   * Removes a passkey of the caller's account, which gets a mail. The authenticator keeps its
   * part, which is of no use.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me/passkeys/{id}`
   */
  deletePasskey(id: T.DeletePasskeyData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/passkeys/${segment(id)}`, auth: true, options });
  }

  /**
   * Keep an ad as a favorite
   *
   * Makes an ad that everyone sees a favorite of the caller; one that is a favorite stays one.
   *
   * An account may have 1,000 favorites, and none of its own ads. Its author sees how many keep an
   * ad, but not who. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `PUT /users/me/favorites/{adId}`
   */
  addFavorite(adId: T.AddFavoriteData["path"]["adId"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "PUT", path: `/users/me/favorites/${segment(adId)}`, auth: true, options });
  }

  /**
   * Remove a favorite
   *
   * Removes a favorite of the caller, whatever became of the ad. An ad that everyone sees need
   * not be one.
   *
   * Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `DELETE /users/me/favorites/{adId}`
   */
  removeFavorite(adId: T.RemoveFavoriteData["path"]["adId"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/favorites/${segment(adId)}`, auth: true, options });
  }

  /**
   * List the caller's favorites
   *
   * Returns a page of the caller's favorites, the newest first, each with its ad as it is now.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/favorites`
   */
  listMyFavorites(
    query: NonNullable<T.ListMyFavoritesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMyFavoritesResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/favorites", auth: true, answer: "json", query, options });
  }

  /** All that `listMyFavorites` finds, page by page: `limit` is how much is on a page. */
  myFavorites(
    query: Omit<NonNullable<T.ListMyFavoritesData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMyFavoritesResponses[200]["results"][number], T.ListMyFavoritesResponses[200]> {
    return new Pages((cursor) =>
      this.listMyFavorites({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * List the caller's notifications
   *
   * Returns a page of the caller's notifications, the newest first, and how many are unread.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/notifications`
   */
  listMyNotifications(
    query: NonNullable<T.ListMyNotificationsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMyNotificationsResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/notifications", auth: true, answer: "json", query, options });
  }

  /** All that `listMyNotifications` finds, page by page: `limit` is how much is on a page. */
  myNotifications(
    query: Omit<NonNullable<T.ListMyNotificationsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMyNotificationsResponses[200]["results"][number], T.ListMyNotificationsResponses[200]> {
    return new Pages((cursor) =>
      this.listMyNotifications({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Mark notifications as read
   *
   * Marks the notification `upTo` and all older ones of the caller as read.
   *
   * Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/notifications/read`
   */
  readNotifications(body: T.ReadNotificationsData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/users/me/notifications/read", auth: true, json: body, options });
  }

  /**
   * Get the caller's preferences
   *
   * Returns in which ways the caller wants each type of notifications.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/preferences`
   */
  getMyPreferences(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetMyPreferencesResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/preferences", auth: true, answer: "json", options });
  }

  /**
   * Change the caller's preferences
   *
   * Changes the ways that are sent, and returns all preferences.
   *
   * Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `PATCH /users/me/preferences`
   */
  updateMyPreferences(
    body: T.UpdateMyPreferencesData["body"],
    options: CallOptions = {},
  ): Promise<T.UpdateMyPreferencesResponses[200]> {
    return this.call({
      method: "PATCH",
      path: "/users/me/preferences",
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List the browsers that get the caller's notifications
   *
   * Returns the browsers that get the caller's notifications, the newest first. Each ends with
   * its session. Their endpoints are not among what is returned.
   *
   * Needs a session: a key is refused.
   *
   * `GET /users/me/push`
   */
  listMyPush(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMyPushResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/push", auth: true, answer: "json", options });
  }

  /**
   * Send notifications to a browser
   *
   * Sends the caller's notifications to this browser too, as the preferences say. The body is its
   * `PushSubscription.toJSON()`, made with `Site.pushKey`.
   *
   * An account may have 10 browsers; one more takes the place of the oldest. A browser gets the
   * notifications of one account, until the session ends that has added it. One that another account
   * has added needs the same `keys`, otherwise it is 400. Counts towards the
   * account's limit on changes.
   *
   * Needs a session: a key is refused.
   *
   * `PUT /users/me/push`
   */
  subscribeToPush(body: T.SubscribeToPushData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "PUT", path: "/users/me/push", auth: true, json: body, options });
  }

  /**
   * Send no more notifications to a browser
   *
   * Forgets a browser of the caller, if there is one with this `endpoint`.
   *
   * Counts towards the account's limit on changes.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me/push`
   */
  unsubscribeFromPush(body: T.UnsubscribeFromPushData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: "/users/me/push", auth: true, json: body, options });
  }

  /**
   * Remove a browser
   *
   * Sends no more notifications to a browser of the caller.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me/push/{id}`
   */
  deletePush(id: T.DeletePushData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/push/${segment(id)}`, auth: true, options });
  }

  /**
   * List or search ads
   *
   * Returns a page of the ads that everyone sees and that match all filters. If nothing matches
   * `q`, it is relaxed: `relaxed` says how.
   *
   * Anyone may call it. Searches, filtered lists and pages of more than 100 ads are limited by
   * address. A client that follows `next` to the end gets every ad that stays unchanged exactly
   * once.
   *
   * `GET /ads`
   */
  listAds(
    query: NonNullable<T.ListAdsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListAdsResponses[200]> {
    return this.call({ method: "GET", path: "/ads", answer: "json", query, options });
  }

  /** All that `listAds` finds, page by page: `limit` is how much is on a page. */
  ads(
    query: Omit<NonNullable<T.ListAdsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListAdsResponses[200]["results"][number], T.ListAdsResponses[200]> {
    return new Pages((cursor) => this.listAds({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * Post an ad with pictures
   *
   * Creates an ad with its pictures and returns it as lists show it.
   *
   * Every account may; some sites require a confirmed mail address. Each picture counts towards the
   * account's limits on uploads and on what its pictures may use. Pictures are turned upright,
   * reduced where they are large, and stored without metadata.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads`
   */
  createAd(
    properties: T.CreateAdForm["properties"],
    files: Upload | readonly Upload[],
    options: CallOptions & IdempotencyKeyOption & ProgressOption & ValidateOption,
  ): Promise<void>;
  createAd(
    properties: T.CreateAdForm["properties"],
    files: Upload | readonly Upload[],
    options?: CallOptions & IdempotencyKeyOption & ProgressOption,
  ): Promise<T.CreateAdResponses[201]>;
  createAd(
    properties: T.CreateAdForm["properties"],
    files: Upload | readonly Upload[],
    options: CallOptions & IdempotencyKeyOption & ProgressOption & Partial<ValidateOption> = {},
  ): Promise<T.CreateAdResponses[201] | void> {
    return this.call({
      method: "POST",
      path: "/ads",
      auth: true,
      keyed: true,
      answer: "json",
      parts: { properties, image: files },
      options,
    });
  }

  /**
   * Count ads by filter
   *
   * Counts the ads that match the filters: by price, month, category and attributes. Of a long
   * `q` the words count that `GET /ads` searches for.
   *
   * Anyone may call it; it counts as a search towards the limit by address. If very many ads match,
   * only the newest are counted. It is made for a filter panel.
   *
   * `GET /ads/facets`
   */
  countAds(
    query: NonNullable<T.CountAdsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.CountAdsResponses[200]> {
    return this.call({ method: "GET", path: "/ads/facets", answer: "json", query, options });
  }

  /**
   * Count ads by cells of a map
   *
   * Counts the ads that match the filters by cells of a map, at most 20 from edge to edge. Of a
   * long `q` the words count that `GET /ads` searches for.
   *
   * Anyone may call it; it counts as a search towards the limit by address. The cells stay where
   * they are while a map is moved. If very many ads match, only the newest are counted.
   *
   * `GET /ads/map`
   */
  mapAds(query: T.MapAdsData["query"], options: CallOptions & IfNoneMatchOption = {}): Promise<T.MapAdsResponses[200]> {
    return this.call({ method: "GET", path: "/ads/map", answer: "json", query, options });
  }

  /**
   * Suggest what to search for
   *
   * Returns phrases and categories that begin with what has been typed, or nearly so: of three
   * letters and more one may be wrong, of six and more two.
   *
   * Anyone may call it, with each key that is pressed; it is limited by address. Phrases are those
   * of ads of several authors; of one author, the 20 newest ads count.
   *
   * `GET /ads/suggest`
   */
  suggestSearches(
    query: NonNullable<T.SuggestSearchesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.SuggestSearchesResponses[200]> {
    return this.call({ method: "GET", path: "/ads/suggest", answer: "json", query, options });
  }

  /**
   * Create or change the ad with an external id
   *
   * Creates or changes the caller's ad with this id in the caller's own system, and returns it as
   * lists show it.
   *
   * Every account may; some sites require a confirmed mail address. Members that are left out stay
   * as they are; `status` is for a new ad. Pictures that are sent replace all of the ad. JSON has no
   * pictures: a new ad without one has to be a draft. Counts towards the account's limit on changes,
   * and each picture towards that on uploads. Of two requests at once, one creates the ad.
   *
   * A key needs the scope `ads:write`.
   *
   * `PUT /ads/by-external-id/{externalId}`
   */
  putAd(
    externalId: T.PutAdData["path"]["externalId"],
    properties: T.CreateAdForm["properties"],
    files: Upload | readonly Upload[],
    options: CallOptions & ProgressOption = {},
  ): Promise<T.PutAdResponses[200] | T.PutAdResponses[201]> {
    return this.call({
      method: "PUT",
      path: `/ads/by-external-id/${segment(externalId)}`,
      auth: true,
      answer: "json",
      parts: { properties, image: files },
      options,
    });
  }

  /**
   * Begin an ad
   *
   * Creates a draft that may be unfinished, and returns it as lists show it.
   *
   * Every account may. Only the author and administrators see it. What is missing is an empty text,
   * the price 0 and no picture; `POST /ads/{id}/images` adds pictures, and `POST /ads/{id}/publish`
   * refuses a draft that is not complete. An account may have a limited number of drafts, and one
   * that was not changed for long is deleted.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/drafts`
   */
  createDraft(
    body: T.CreateDraftData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.CreateDraftResponses[201]> {
    return this.call({
      method: "POST",
      path: "/ads/drafts",
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List the caller's ads
   *
   * Returns a page of the caller's ads, whatever their status, the newest first.
   *
   * The first page also has how many of them have each status.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /ads/me`
   */
  listMyAds(
    query: NonNullable<T.ListMyAdsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMyAdsResponses[200]> {
    return this.call({ method: "GET", path: "/ads/me", auth: true, answer: "json", query, options });
  }

  /** All that `listMyAds` finds, page by page: `limit` is how much is on a page. */
  myAds(
    query: Omit<NonNullable<T.ListMyAdsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMyAdsResponses[200]["results"][number], T.ListMyAdsResponses[200]> {
    return new Pages((cursor) => this.listMyAds({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * Get an ad with its author's contact details
   *
   * Returns an ad with its author's name, user name and phone number.
   *
   * Every account may; some sites require a confirmed mail address. How many different ads of others
   * an account may read is limited, as each reveals contact details. The author and administrators
   * get the ad whatever its status, and its buyer when it is sold; the author gets the exact
   * location.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /ads/{id}`
   */
  getAd(id: T.GetAdData["path"]["id"], options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetAdResponses[200]> {
    return this.call({ method: "GET", path: `/ads/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * Delete an ad
   *
   * Deletes an ad with its pictures and comments at once. For a time that the operator sets,
   * administrators can bring it back.
   *
   * The author and administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `DELETE /ads/{id}`
   */
  deleteAd(id: T.DeleteAdData["path"]["id"], options: CallOptions & IfMatchOption = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/ads/${segment(id)}`, auth: true, options });
  }

  /**
   * Change an ad
   *
   * Changes the members that are sent, and returns the ad as lists show it.
   *
   * The author and administrators may; every account may on a site that is configured so. Its
   * category and attributes must fit each other after the change. Counts towards the account's limit
   * on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `PATCH /ads/{id}`
   */
  updateAd(
    id: T.UpdateAdData["path"]["id"],
    body: T.UpdateAdData["body"],
    options: CallOptions & IfMatchOption & ValidateOption,
  ): Promise<void>;
  updateAd(
    id: T.UpdateAdData["path"]["id"],
    body: T.UpdateAdData["body"],
    options?: CallOptions & IfMatchOption,
  ): Promise<T.UpdateAdResponses[200]>;
  updateAd(
    id: T.UpdateAdData["path"]["id"],
    body: T.UpdateAdData["body"],
    options: CallOptions & IfMatchOption & Partial<ValidateOption> = {},
  ): Promise<T.UpdateAdResponses[200] | void> {
    return this.call({ method: "PATCH", path: `/ads/${segment(id)}`, auth: true, answer: "json", json: body, options });
  }

  /**
   * Get an ad without contact details
   *
   * Returns an ad without its author's contact details, for a page that everyone may see.
   *
   * Anyone may call it; it is not limited.
   *
   * `GET /ads/{id}/details`
   */
  getAdDetails(
    id: T.GetAdDetailsData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetAdDetailsResponses[200]> {
    return this.call({ method: "GET", path: `/ads/${segment(id)}/details`, answer: "json", options });
  }

  /**
   * Get how successful an ad is
   *
   * Returns how often an ad was seen and saved, how many have written about it, and what similar
   * ads cost.
   *
   * Its author and administrators may. A visitor counts once a day, without cookies: an account, or
   * else an address with its browser. The author, crawlers and prefetches do not count.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /ads/{id}/stats`
   */
  getAdStats(
    id: T.GetAdStatsData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetAdStatsResponses[200]> {
    return this.call({ method: "GET", path: `/ads/${segment(id)}/stats`, auth: true, answer: "json", options });
  }

  /**
   * List ads that are like an ad
   *
   * Returns ads with the same words in their titles, of the same category, at about the same
   * price and near each other; the most similar first. A sold or expired ad has them too.
   *
   * Anyone may call it; it counts as a search towards the limit by address. A new ad may be missing
   * for a minute.
   *
   * `GET /ads/{id}/similar`
   */
  listSimilarAds(
    id: T.ListSimilarAdsData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListSimilarAdsResponses[200]> {
    return this.call({ method: "GET", path: `/ads/${segment(id)}/similar`, answer: "json", options });
  }

  /**
   * Publish an ad
   *
   * Makes a draft, or a withdrawn or expired ad, active. Returns the ad as lists show it.
   *
   * The author and administrators may; some sites require a confirmed mail address. A draft has to
   * be complete: all that is missing or wrong is refused with 400 at its member. If the ad's status
   * does not allow the step, it is refused with 409. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/publish`
   */
  publishAd(
    id: T.PublishAdData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption = {},
  ): Promise<T.PublishAdResponses[200]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/publish`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Reserve an ad
   *
   * Marks an active ad as reserved. Everyone still sees it. Returns the ad as lists show it.
   *
   * The author and administrators may. If the ad's status does not allow the step, it is refused with 409. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/reserve`
   */
  reserveAd(
    id: T.ReserveAdData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption = {},
  ): Promise<T.ReserveAdResponses[200]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/reserve`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * End the reservation of an ad
   *
   * Makes a reserved ad active again. Returns the ad as lists show it.
   *
   * The author and administrators may. If the ad's status does not allow the step, it is refused with 409. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/release`
   */
  releaseAd(
    id: T.ReleaseAdData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption = {},
  ): Promise<T.ReleaseAdResponses[200]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/release`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Mark an ad as sold
   *
   * Marks an active or reserved ad as sold, and returns it. It cannot be published again.
   *
   * The author and administrators may. The body is optional: its `price` becomes the ad's, and its
   * `buyer`, who has talked about the ad, gets a notice in that conversation. From another status it
   * is refused with 409. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/sell`
   */
  sellAd(
    id: T.SellAdData["path"]["id"],
    body?: T.SellAdData["body"],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption = {},
  ): Promise<T.SellAdResponses[200]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/sell`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Withdraw an ad
   *
   * Takes an ad out of all lists until it is published again. Returns the ad as lists show it.
   *
   * The author and administrators may. If the ad's status does not allow the step, it is refused with 409. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/withdraw`
   */
  withdrawAd(
    id: T.WithdrawAdData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption = {},
  ): Promise<T.WithdrawAdResponses[200]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/withdraw`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Renew an ad
   *
   * Shows an active or expired ad for the full time again. Returns the ad as lists show it.
   *
   * The author and administrators may; some sites require a confirmed mail address. If the ad's status does not allow the step, it is refused with 409. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/renew`
   */
  renewAd(
    id: T.RenewAdData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption = {},
  ): Promise<T.RenewAdResponses[200]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/renew`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Replace an ad's first picture
   *
   * Replaces the first picture of an ad, and returns the new picture as it is stored.
   *
   * The author and administrators may. Counts towards the account's limits on uploads and on what
   * its pictures may use.
   *
   * A key needs the scope `ads:write`.
   *
   * `PATCH /ads/{id}/image`
   */
  replaceAdImage(
    id: T.ReplaceAdImageData["path"]["id"],
    file: Upload,
    options: CallOptions & IfMatchOption & ProgressOption = {},
  ): Promise<Blob> {
    return this.call({
      method: "PATCH",
      path: `/ads/${segment(id)}/image`,
      auth: true,
      answer: "blob",
      parts: { image: file },
      options,
    });
  }

  /**
   * Add pictures to an ad
   *
   * Adds pictures after those that an ad has, all of them or none, and returns all its pictures.
   *
   * The author and administrators may. Each picture counts towards the account's limits on uploads
   * and on what its pictures may use.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/images`
   */
  addAdImages(
    id: T.AddAdImagesData["path"]["id"],
    files: Upload | readonly Upload[],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption & ProgressOption = {},
  ): Promise<T.AddAdImagesResponses[201]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/images`,
      auth: true,
      keyed: true,
      answer: "json",
      parts: { image: files },
      options,
    });
  }

  /**
   * Reorder the pictures of an ad
   *
   * Puts the pictures of an ad into another order, and returns them. Lists show the first one.
   *
   * The author and administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `PATCH /ads/{id}/images`
   */
  orderAdImages(
    id: T.OrderAdImagesData["path"]["id"],
    body: T.OrderAdImagesData["body"],
    options: CallOptions & IfMatchOption = {},
  ): Promise<T.OrderAdImagesResponses[200]> {
    return this.call({
      method: "PATCH",
      path: `/ads/${segment(id)}/images`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Delete a picture of an ad
   *
   * Deletes a picture of an ad. The last one is refused with 409, except of a draft.
   *
   * The author and administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `DELETE /ads/{id}/images/{imageId}`
   */
  deleteAdImage(
    id: T.DeleteAdImageData["path"]["id"],
    imageId: T.DeleteAdImageData["path"]["imageId"],
    options: CallOptions & IfMatchOption = {},
  ): Promise<void> {
    return this.call({ method: "DELETE", path: `/ads/${segment(id)}/images/${segment(imageId)}`, auth: true, options });
  }

  /**
   * List all categories
   *
   * Returns the whole tree of categories as a list, parents before children, with their
   * attributes.
   *
   * Anyone may call it.
   *
   * `GET /categories`
   */
  listCategories(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListCategoriesResponses[200]> {
    return this.call({ method: "GET", path: "/categories", answer: "json", options });
  }

  /**
   * Get a category
   *
   * Returns a category with its own attributes and those of the categories above.
   *
   * Anyone may call it.
   *
   * `GET /categories/{slug}`
   */
  getCategory(
    slug: T.GetCategoryData["path"]["slug"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetCategoryResponses[200]> {
    return this.call({ method: "GET", path: `/categories/${segment(slug)}`, answer: "json", options });
  }

  /**
   * Create or replace a category
   *
   * Creates a category or replaces its definition, and returns it. What is left out becomes
   * empty.
   *
   * Administrators may. Existing ads stay as they are, also where they no longer fit. Counts towards
   * the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /categories/{slug}`
   */
  putCategory(
    slug: T.PutCategoryData["path"]["slug"],
    body: T.PutCategoryData["body"],
    options: CallOptions & IfMatchOption = {},
  ): Promise<T.PutCategoryResponses[200] | T.PutCategoryResponses[201]> {
    return this.call({
      method: "PUT",
      path: `/categories/${segment(slug)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Delete a category
   *
   * Deletes a category. One that has ads or children is refused with 409.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /categories/{slug}`
   */
  deleteCategory(slug: T.DeleteCategoryData["path"]["slug"], options: CallOptions & IfMatchOption = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/categories/${segment(slug)}`, auth: true, options });
  }

  /**
   * Get the JSON Schema of a category's attributes
   *
   * Returns a JSON Schema (2020-12) of the member `attributes` of ads in the category.
   *
   * Anyone may call it. It serves to build forms and to validate before sending.
   *
   * `GET /categories/{slug}/schema`
   */
  getCategorySchema(
    slug: T.GetCategorySchemaData["path"]["slug"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetCategorySchemaResponses[200]> {
    return this.call({ method: "GET", path: `/categories/${segment(slug)}/schema`, answer: "json", options });
  }

  /**
   * Move the ads of a category to another one
   *
   * Moves the next ads of a category to another one, whatever their status, and returns how many
   * remain. Send it again until none remains; then the category can be deleted. With `dryRun` it
   * only counts them.
   *
   * Attributes that the other category does not define, or does not take, are removed from the ads.
   * Categories below stay, with their ads. Administrators may. Counts towards the account's limit on
   * changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /categories/{slug}/move`
   */
  moveCategoryAds(
    slug: T.MoveCategoryAdsData["path"]["slug"],
    body: T.MoveCategoryAdsData["body"],
    options: CallOptions = {},
  ): Promise<T.MoveCategoryAdsResponses[200]> {
    return this.call({
      method: "POST",
      path: `/categories/${segment(slug)}/move`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List an ad's comments
   *
   * Returns a page of an ad's comments, the newest first.
   *
   * Every account that sees the ad may.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /ads/{id}/comments`
   */
  listComments(
    id: T.ListCommentsData["path"]["id"],
    query: NonNullable<T.ListCommentsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListCommentsResponses[200]> {
    return this.call({
      method: "GET",
      path: `/ads/${segment(id)}/comments`,
      auth: true,
      answer: "json",
      query,
      options,
    });
  }

  /** All that `listComments` finds, page by page: `limit` is how much is on a page. */
  comments(
    id: T.ListCommentsData["path"]["id"],
    query: Omit<NonNullable<T.ListCommentsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListCommentsResponses[200]["results"][number], T.ListCommentsResponses[200]> {
    return new Pages((cursor) =>
      this.listComments(id, { ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Comment on an ad
   *
   * Adds a comment to an ad, and returns it. Every account that sees the ad sees it.
   *
   * Every account that sees the ad may, unless it or the ad's author has blocked the other; some
   * sites require a confirmed mail address. Counts towards the account's limits on changes and on
   * what its texts may use.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/comments`
   */
  createComment(
    id: T.CreateCommentData["path"]["id"],
    body: T.CreateCommentData["body"],
    options: CallOptions & IdempotencyKeyOption & ValidateOption,
  ): Promise<void>;
  createComment(
    id: T.CreateCommentData["path"]["id"],
    body: T.CreateCommentData["body"],
    options?: CallOptions & IdempotencyKeyOption,
  ): Promise<T.CreateCommentResponses[200]>;
  createComment(
    id: T.CreateCommentData["path"]["id"],
    body: T.CreateCommentData["body"],
    options: CallOptions & IdempotencyKeyOption & Partial<ValidateOption> = {},
  ): Promise<T.CreateCommentResponses[200] | void> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/comments`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Get a comment
   *
   * Returns a comment on the ad in the path.
   *
   * Every account that sees the ad may, and always the comment's author.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /ads/{id}/comments/{commentId}`
   */
  getComment(
    id: T.GetCommentData["path"]["id"],
    commentId: T.GetCommentData["path"]["commentId"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetCommentResponses[200]> {
    return this.call({
      method: "GET",
      path: `/ads/${segment(id)}/comments/${segment(commentId)}`,
      auth: true,
      answer: "json",
      options,
    });
  }

  /**
   * Delete a comment
   *
   * Deletes a comment permanently.
   *
   * The comment's author, the author of the ad, and administrators may. Counts towards the account's
   * limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `DELETE /ads/{id}/comments/{commentId}`
   */
  deleteComment(
    id: T.DeleteCommentData["path"]["id"],
    commentId: T.DeleteCommentData["path"]["commentId"],
    options: CallOptions & IfMatchOption = {},
  ): Promise<void> {
    return this.call({
      method: "DELETE",
      path: `/ads/${segment(id)}/comments/${segment(commentId)}`,
      auth: true,
      options,
    });
  }

  /**
   * Change a comment
   *
   * Replaces the text of a comment, and returns it.
   *
   * The comment's author and administrators may. Counts towards the account's limits on changes and
   * on what its texts may use.
   *
   * A key needs the scope `ads:write`.
   *
   * `PATCH /ads/{id}/comments/{commentId}`
   */
  updateComment(
    id: T.UpdateCommentData["path"]["id"],
    commentId: T.UpdateCommentData["path"]["commentId"],
    body: T.UpdateCommentData["body"],
    options: CallOptions & IfMatchOption & ValidateOption,
  ): Promise<void>;
  updateComment(
    id: T.UpdateCommentData["path"]["id"],
    commentId: T.UpdateCommentData["path"]["commentId"],
    body: T.UpdateCommentData["body"],
    options?: CallOptions & IfMatchOption,
  ): Promise<T.UpdateCommentResponses[200]>;
  updateComment(
    id: T.UpdateCommentData["path"]["id"],
    commentId: T.UpdateCommentData["path"]["commentId"],
    body: T.UpdateCommentData["body"],
    options: CallOptions & IfMatchOption & Partial<ValidateOption> = {},
  ): Promise<T.UpdateCommentResponses[200] | void> {
    return this.call({
      method: "PATCH",
      path: `/ads/${segment(id)}/comments/${segment(commentId)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Get a picture
   *
   * Returns a picture, or a single byte range of it.
   *
   * Anyone may call it, without credentials, so that `<img>` can. A site that keeps its pictures
   * elsewhere answers 307 with their address. Pictures of suspended and removed ads, and all those
   * of suspended accounts, are 404.
   *
   * `GET /images/{name}`
   */
  getImage(name: T.GetImageData["path"]["name"], options: CallOptions & IfNoneMatchOption = {}): Promise<Blob> {
    return this.call({ method: "GET", path: `/images/${segment(name)}`, answer: "blob", options });
  }

  /**
   * List the caller's conversations
   *
   * Returns a page of the caller's conversations, as buyer and as seller, the one with the newest
   * message first. Those that the caller has hidden are not among them.
   *
   * A key needs the scope `messages:read`.
   *
   * `GET /conversations`
   */
  listConversations(
    query: NonNullable<T.ListConversationsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListConversationsResponses[200]> {
    return this.call({ method: "GET", path: "/conversations", auth: true, answer: "json", query, options });
  }

  /** All that `listConversations` finds, page by page: `limit` is how much is on a page. */
  conversations(
    query: Omit<NonNullable<T.ListConversationsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListConversationsResponses[200]["results"][number], T.ListConversationsResponses[200]> {
    return new Pages((cursor) =>
      this.listConversations({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Get a conversation
   *
   * Returns a conversation, also one that the caller has hidden. Its two parties may.
   *
   * A key needs the scope `messages:read`.
   *
   * `GET /conversations/{id}`
   */
  getConversation(
    id: T.GetConversationData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetConversationResponses[200]> {
    return this.call({ method: "GET", path: `/conversations/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * List the messages of a conversation
   *
   * Returns a page of a conversation's messages, the newest first. Its two parties may.
   *
   * Reading them does not mark them as read.
   *
   * A key needs the scope `messages:read`.
   *
   * `GET /conversations/{id}/messages`
   */
  listMessages(
    id: T.ListMessagesData["path"]["id"],
    query: NonNullable<T.ListMessagesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMessagesResponses[200]> {
    return this.call({
      method: "GET",
      path: `/conversations/${segment(id)}/messages`,
      auth: true,
      answer: "json",
      query,
      options,
    });
  }

  /** All that `listMessages` finds, page by page: `limit` is how much is on a page. */
  messages(
    id: T.ListMessagesData["path"]["id"],
    query: Omit<NonNullable<T.ListMessagesData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMessagesResponses[200]["results"][number], T.ListMessagesResponses[200]> {
    return new Pages((cursor) =>
      this.listMessages(id, { ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Write to the other party
   *
   * Sends a message to the other party, and returns it. For that party a hidden conversation is
   * listed again.
   *
   * The two parties may, whatever has become of the ad; some sites require a confirmed mail address.
   * Messages are limited by account, and count towards what its texts may use.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /conversations/{id}/messages`
   */
  sendMessage(
    id: T.SendMessageData["path"]["id"],
    body: T.SendMessageData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.SendMessageResponses[201]> {
    return this.call({
      method: "POST",
      path: `/conversations/${segment(id)}/messages`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Make an offer
   *
   * Offers a price to the other party, and returns the offer. It is open for 48 hours. One in
   * answer to the other party's open offer declines that one.
   *
   * The buyer may, and the seller in answer, while the ad is shown; one offer of a conversation is
   * open (409). Counts towards the account's limit on messages.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /conversations/{id}/offers`
   */
  makeOffer(
    id: T.MakeOfferData["path"]["id"],
    body: T.MakeOfferData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.MakeOfferResponses[201]> {
    return this.call({
      method: "POST",
      path: `/conversations/${segment(id)}/offers`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Mark messages as read
   *
   * Marks the messages up to one of them as read by the caller, which the other party sees. What
   * was read stays read.
   *
   * The two parties may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /conversations/{id}/read`
   */
  readMessages(
    id: T.ReadMessagesData["path"]["id"],
    body: T.ReadMessagesData["body"],
    options: CallOptions = {},
  ): Promise<void> {
    return this.call({ method: "POST", path: `/conversations/${segment(id)}/read`, auth: true, json: body, options });
  }

  /**
   * Hide a conversation
   *
   * Takes a conversation out of the caller's list until its next message. The other party does
   * not notice.
   *
   * The two parties may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /conversations/{id}/hide`
   */
  hideConversation(id: T.HideConversationData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/conversations/${segment(id)}/hide`, auth: true, options });
  }

  /**
   * Block an account
   *
   * Blocks another account: neither of the two can write to the other, comment on its ads or make
   * it an offer; neither sees the other's contact, nor how far the other has read. What was written
   * stays. That account is not informed, but sees that it cannot write.
   *
   * Any account may that has met the other one: in a conversation, or by an ad or a comment that it
   * sees. Others are 404. It may have blocked 1,000. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `PUT /users/me/blocks/{userId}`
   */
  blockUser(userId: T.BlockUserData["path"]["userId"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "PUT", path: `/users/me/blocks/${segment(userId)}`, auth: true, options });
  }

  /**
   * Unblock an account
   *
   * Removes a block. Without one it changes nothing. Counts towards the account's limit on
   * changes.
   *
   * A key needs the scope `account:write`.
   *
   * `DELETE /users/me/blocks/{userId}`
   */
  unblockUser(userId: T.UnblockUserData["path"]["userId"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/blocks/${segment(userId)}`, auth: true, options });
  }

  /**
   * List the accounts that the caller has blocked
   *
   * Returns a page of the accounts that the caller has blocked, the latest first.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/blocks`
   */
  listMyBlocks(
    query: NonNullable<T.ListMyBlocksData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMyBlocksResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/blocks", auth: true, answer: "json", query, options });
  }

  /** All that `listMyBlocks` finds, page by page: `limit` is how much is on a page. */
  myBlocks(
    query: Omit<NonNullable<T.ListMyBlocksData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMyBlocksResponses[200]["results"][number], T.ListMyBlocksResponses[200]> {
    return new Pages((cursor) => this.listMyBlocks({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * List the caller's deals
   *
   * Returns a page of what the caller has sold to a named buyer, or bought, the newest first,
   * with the ratings.
   *
   * The other party's rating is there once both have rated, or the 14 days for it are over.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/deals`
   */
  listMyDeals(
    query: NonNullable<T.ListMyDealsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMyDealsResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/deals", auth: true, answer: "json", query, options });
  }

  /** All that `listMyDeals` finds, page by page: `limit` is how much is on a page. */
  myDeals(
    query: Omit<NonNullable<T.ListMyDealsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMyDealsResponses[200]["results"][number], T.ListMyDealsResponses[200]> {
    return new Pages((cursor) => this.listMyDeals({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * Rate the other party of a deal
   *
   * Rates the other party of a deal, and returns the rating.
   *
   * The two parties may, once each, within 14 days after the sale. Nobody else sees a rating until
   * both are in or that time is over. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /deals/{dealId}/ratings`
   */
  rateDeal(
    dealId: T.RateDealData["path"]["dealId"],
    body: T.RateDealData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.RateDealResponses[201]> {
    return this.call({
      method: "POST",
      path: `/deals/${segment(dealId)}/ratings`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Answer a rating
   *
   * Answers a rating of the caller, and returns the rating. Everyone sees the answer.
   *
   * The account that it is about may, once. Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ratings/{id}/answer`
   */
  answerRating(
    id: T.AnswerRatingData["path"]["id"],
    body: T.AnswerRatingData["body"],
    options: CallOptions = {},
  ): Promise<T.AnswerRatingResponses[200]> {
    return this.call({
      method: "POST",
      path: `/ratings/${segment(id)}/answer`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List the ratings of a seller
   *
   * Returns a page of what others have said of an account after a deal, the newest first.
   *
   * Anyone may call it; it counts as a search towards the limit by address.
   *
   * `GET /sellers/{id}/ratings`
   */
  listRatings(
    id: T.ListRatingsData["path"]["id"],
    query: NonNullable<T.ListRatingsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListRatingsResponses[200]> {
    return this.call({ method: "GET", path: `/sellers/${segment(id)}/ratings`, answer: "json", query, options });
  }

  /** All that `listRatings` finds, page by page: `limit` is how much is on a page. */
  ratings(
    id: T.ListRatingsData["path"]["id"],
    query: Omit<NonNullable<T.ListRatingsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListRatingsResponses[200]["results"][number], T.ListRatingsResponses[200]> {
    return new Pages((cursor) =>
      this.listRatings(id, { ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Report an ad
   *
   * Reports an ad to the moderators, and returns the report.
   *
   * Every account that sees the ad may, except its author. A second report by the same account
   * changes nothing and returns the first with 200. Reports are limited by account.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/reports`
   */
  reportAd(
    id: T.ReportAdData["path"]["id"],
    body: T.ReportAdData["body"],
    options: CallOptions = {},
  ): Promise<T.ReportAdResponses[200] | T.ReportAdResponses[201]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/reports`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Report a comment
   *
   * Reports a comment to the moderators, and returns the report.
   *
   * Every account that sees the comment may, except its author. A second report by the same account
   * changes nothing and returns the first with 200. Reports are limited by account.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ads/{id}/comments/{commentId}/reports`
   */
  reportComment(
    id: T.ReportCommentData["path"]["id"],
    commentId: T.ReportCommentData["path"]["commentId"],
    body: T.ReportCommentData["body"],
    options: CallOptions = {},
  ): Promise<T.ReportCommentResponses[200] | T.ReportCommentResponses[201]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/comments/${segment(commentId)}/reports`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Report a message
   *
   * Reports a message to the moderators, and returns the report. They can then read it and the
   * ten messages before it, and nothing else of the conversation.
   *
   * The party that received it may. A second report by the same account changes nothing and returns
   * the first with 200. Reports are limited by account.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /conversations/{id}/messages/{messageId}/reports`
   */
  reportMessage(
    id: T.ReportMessageData["path"]["id"],
    messageId: T.ReportMessageData["path"]["messageId"],
    body: T.ReportMessageData["body"],
    options: CallOptions = {},
  ): Promise<T.ReportMessageResponses[200] | T.ReportMessageResponses[201]> {
    return this.call({
      method: "POST",
      path: `/conversations/${segment(id)}/messages/${segment(messageId)}/reports`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Report a rating
   *
   * Reports a rating to the moderators, and returns the report.
   *
   * Every account may, except its author. A second report by the same account changes nothing and
   * returns the first with 200. Reports are limited by account.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /ratings/{id}/reports`
   */
  reportRating(
    id: T.ReportRatingData["path"]["id"],
    body: T.ReportRatingData["body"],
    options: CallOptions = {},
  ): Promise<T.ReportRatingResponses[200] | T.ReportRatingResponses[201]> {
    return this.call({
      method: "POST",
      path: `/ratings/${segment(id)}/reports`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List the cases of reported ads and comments
   *
   * Returns a page of cases, one for each reported ad or comment: the most reported first, then
   * the oldest.
   *
   * Moderators and administrators may. Cases about what the caller wrote are left out: another
   * person decides them.
   *
   * A key needs the scope `moderation`.
   *
   * `GET /moderation/cases`
   */
  listCases(
    query: NonNullable<T.ListCasesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListCasesResponses[200]> {
    return this.call({ method: "GET", path: "/moderation/cases", auth: true, answer: "json", query, options });
  }

  /** All that `listCases` finds, page by page: `limit` is how much is on a page. */
  cases(
    query: Omit<NonNullable<T.ListCasesData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListCasesResponses[200]["results"][number], T.ListCasesResponses[200]> {
    return new Pages((cursor) => this.listCases({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * Get a case
   *
   * Returns a case: its reports, what the thing said when it was reported and says now, and its
   * author's history.
   *
   * Of a conversation it has the reported message and the ten before it, and each look is written
   * into the audit trail.
   *
   * Moderators and administrators may, but not about their own things, as it names the reporters.
   *
   * A key needs the scope `moderation`.
   *
   * `GET /moderation/cases/{id}`
   */
  getCase(
    id: T.GetCaseData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetCaseResponses[200]> {
    return this.call({ method: "GET", path: `/moderation/cases/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * Decide a case
   *
   * Decides a case, carries the decision out, and returns it. The person concerned receives the
   * reasons and may appeal.
   *
   * Moderators and administrators may, but not about their own things. Only administrators may about
   * an administrator. An appeal is decided by another person than before. With `If-Match` a case
   * that has changed since it was read is refused with 412. For `suspendAccount` that is checked
   * before the account's ads are hidden; a report or an edit that arrives meanwhile is not noticed.
   * Counts towards the account's limit on changes.
   *
   * A key needs the scope `moderation`.
   *
   * `POST /moderation/cases/{id}/decisions`
   */
  decideCase(
    id: T.DecideCaseData["path"]["id"],
    body: T.DecideCaseData["body"],
    options: CallOptions & IdempotencyKeyOption & IfMatchOption = {},
  ): Promise<T.DecideCaseResponses[201]> {
    return this.call({
      method: "POST",
      path: `/moderation/cases/${segment(id)}/decisions`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Undo a decision
   *
   * Ends a decision and restores what it changed; a dismissed case is open again. Returns the new
   * decision.
   *
   * Moderators and administrators may, except who made the decision and whom it concerns. Counts
   * towards the account's limit on changes.
   *
   * A key needs the scope `moderation`.
   *
   * `POST /moderation/decisions/{id}/undo`
   */
  undoDecision(
    id: T.UndoDecisionData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.UndoDecisionResponses[201]> {
    return this.call({
      method: "POST",
      path: `/moderation/decisions/${segment(id)}/undo`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * List the decisions about the caller
   *
   * Returns a page of the decisions about the caller's account, ads and comments, the newest
   * first.
   *
   * They do not say who decided or who reported.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/decisions`
   */
  listMyDecisions(
    query: NonNullable<T.ListMyDecisionsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMyDecisionsResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/decisions", auth: true, answer: "json", query, options });
  }

  /** All that `listMyDecisions` finds, page by page: `limit` is how much is on a page. */
  myDecisions(
    query: Omit<NonNullable<T.ListMyDecisionsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMyDecisionsResponses[200]["results"][number], T.ListMyDecisionsResponses[200]> {
    return new Pages((cursor) =>
      this.listMyDecisions({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Appeal against a decision
   *
   * Appeals against a decision about the caller, and returns the decision. Another
   * person than before decides about the appeal.
   *
   * One appeal is possible against a decision, within 180 days and while it is in force; otherwise
   * it is refused with 409. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/decisions/{id}/appeal`
   */
  appealDecision(
    id: T.AppealDecisionData["path"]["id"],
    body: T.AppealDecisionData["body"],
    options: CallOptions = {},
  ): Promise<T.AppealDecisionResponses[201]> {
    return this.call({
      method: "POST",
      path: `/users/me/decisions/${segment(id)}/appeal`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Read a decision by its token
   *
   * Returns the decision that a token is for, as `GET /users/me/decisions` has it: suspended
   * accounts cannot log in. It changes nothing.
   *
   * Anyone who has the token may call it. Attempts are limited by address.
   *
   * `POST /decisions/read`
   */
  readDecision(body: T.ReadDecisionData["body"], options: CallOptions = {}): Promise<T.ReadDecisionResponses[200]> {
    return this.call({ method: "POST", path: "/decisions/read", answer: "json", json: body, options });
  }

  /**
   * Appeal against a decision by its token
   *
   * Appeals against the decision that a token is for, as `POST /users/me/decisions/{id}/appeal`,
   * and returns the decision.
   *
   * Anyone who has the token may call it. Attempts are limited by address.
   *
   * `POST /decisions/appeal`
   */
  appealByToken(body: T.AppealByTokenData["body"], options: CallOptions = {}): Promise<T.AppealByTokenResponses[201]> {
    return this.call({ method: "POST", path: "/decisions/appeal", answer: "json", json: body, options });
  }

  /**
   * Begin a login by a passkey
   *
   * Returns what a browser needs to sign a login. The authenticator knows the account.
   *
   * Anyone may call it.
   *
   * `POST /login/passkey/options`
   */
  beginPasskeyLogin(options: CallOptions = {}): Promise<T.BeginPasskeyLoginResponses[200]> {
    return this.call({ method: "POST", path: "/login/passkey/options", answer: "json", options });
  }

  /**
   * Log in by a passkey
   *
   * Takes what the authenticator signed, begins a session and returns its tokens.
   *
   * A passkey counts as both factors. Anyone may call it; attempts are limited by address.
   *
   * `POST /login/passkey`
   */
  logInByPasskey(
    body: T.LogInByPasskeyData["body"],
    options: CallOptions = {},
  ): Promise<T.LogInByPasskeyResponses[200]> {
    return this.call({ method: "POST", path: "/login/passkey", answer: "json", json: body, options });
  }

  /**
   * List accounts
   *
   * Returns a page of accounts: the newest first, or with `q` by user name.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /users`
   */
  listUsers(
    query: NonNullable<T.ListUsersData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListUsersResponses[200]> {
    return this.call({ method: "GET", path: "/users", auth: true, answer: "json", query, options });
  }

  /** All that `listUsers` finds, page by page: `limit` is how much is on a page. */
  users(
    query: Omit<NonNullable<T.ListUsersData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListUsersResponses[200]["results"][number], T.ListUsersResponses[200]> {
    return new Pages((cursor) => this.listUsers({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * Get an account
   *
   * Returns an account with its sessions, and the newest cases and decisions about it.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /users/{id}`
   */
  getUser(
    id: T.GetUserData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetUserResponses[200]> {
    return this.call({ method: "GET", path: `/users/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * Delete an account
   *
   * Deletes an account for its owner, who cannot log in: with its ads, pictures, comments and
   * sessions, as `DELETE /users/me`. `POST /admin/deletions/{id}/undo` brings it back for a time.
   *
   * Administrators may, but neither themselves nor another administrator. Their own password
   * confirms it. A wrong one is refused with 403 and counts as an attempt to log in. Counts towards
   * the account's limit on changes.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/{id}`
   */
  deleteUser(
    id: T.DeleteUserData["path"]["id"],
    body: T.DeleteUserData["body"],
    options: CallOptions = {},
  ): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/${segment(id)}`, auth: true, json: body, options });
  }

  /**
   * Change an account's role or plan
   *
   * Changes the role or the plan of an account, from its next request on, and returns it.
   *
   * Administrators may, but not for themselves, so one is always left. Their own password confirms
   * another role. A wrong one is refused with 403 and counts as an attempt to log in. Counts towards
   * the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PATCH /users/{id}`
   */
  updateUser(
    id: T.UpdateUserData["path"]["id"],
    body: T.UpdateUserData["body"],
    options: CallOptions = {},
  ): Promise<T.UpdateUserResponses[200]> {
    return this.call({
      method: "PATCH",
      path: `/users/${segment(id)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List the mails to an account
   *
   * Returns a page of the attempts to send mails to an account in the last seven days, the newest
   * first, with the server's answers, and of mails that were not sent the reasons.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /users/{id}/mails`
   */
  listUserMails(
    id: T.ListUserMailsData["path"]["id"],
    query: NonNullable<T.ListUserMailsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListUserMailsResponses[200]> {
    return this.call({
      method: "GET",
      path: `/users/${segment(id)}/mails`,
      auth: true,
      answer: "json",
      query,
      options,
    });
  }

  /** All that `listUserMails` finds, page by page: `limit` is how much is on a page. */
  userMails(
    id: T.ListUserMailsData["path"]["id"],
    query: Omit<NonNullable<T.ListUserMailsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListUserMailsResponses[200]["results"][number], T.ListUserMailsResponses[200]> {
    return new Pages((cursor) =>
      this.listUserMails(id, { ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Suspend an account
   *
   * Suspends an account and returns it: its sessions end, its ads are hidden, and it cannot log
   * in. Its owner receives the reasons.
   *
   * Administrators may, but not for themselves. The same statement sent again by the same
   * administrator, if it would move the end by less than an hour, changes nothing and sends no
   * second mail. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /users/{id}/suspend`
   */
  suspendUser(
    id: T.SuspendUserData["path"]["id"],
    body: T.SuspendUserData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.SuspendUserResponses[200]> {
    return this.call({
      method: "POST",
      path: `/users/${segment(id)}/suspend`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Suspend an account and remove all that it has published
   *
   * Suspends an account without end, as `POST /users/{id}/suspend`, and removes its comments and
   * messages too; returns how much there was. With `dryRun` it returns the same, and changes
   * nothing. To restore the account, also after an appeal, brings everything back.
   *
   * Administrators may, but not for themselves. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /users/{id}/expel`
   */
  expelUser(
    id: T.ExpelUserData["path"]["id"],
    body: T.ExpelUserData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.ExpelUserResponses[200]> {
    return this.call({
      method: "POST",
      path: `/users/${segment(id)}/expel`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * End the suspension of an account
   *
   * Ends the suspension of an account and shows its ads again, and returns it. An account that is
   * not suspended stays as it is.
   *
   * Administrators may, but not for themselves. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /users/{id}/restore`
   */
  restoreUser(
    id: T.RestoreUserData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.RestoreUserResponses[200]> {
    return this.call({
      method: "POST",
      path: `/users/${segment(id)}/restore`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Read the log of events
   *
   * Returns what happened, in the order of commits: each event once, without gaps.
   *
   * Without `after` it begins with the oldest event that is kept. An answer may have fewer events
   * than there are, and even none: `next` says where to go on. Administrators may.
   *
   * A key needs the scope `events:read`.
   *
   * `GET /events`
   */
  listEvents(
    query: NonNullable<T.ListEventsData["query"]> = {},
    options: CallOptions = {},
  ): Promise<T.ListEventsResponses[200]> {
    return this.call({ method: "GET", path: "/events", auth: true, answer: "json", query, options });
  }

  /**
   * Read the matches of a saved search
   *
   * Returns ads that came to match the saved search, in that order, without gaps. An ad that was
   * changed or shown again, and matches anew, comes again.
   *
   * Without `after` it begins with the oldest match that is kept (90 days). An answer may have fewer
   * ads than there are, and even none: `next` says where to go on. Matches are found within a second
   * after a change, whatever `notify` says.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/searches/{id}/ads`
   */
  listSearchAds(
    id: T.ListSearchAdsData["path"]["id"],
    query: NonNullable<T.ListSearchAdsData["query"]> = {},
    options: CallOptions = {},
  ): Promise<T.ListSearchAdsResponses[200]> {
    return this.call({
      method: "GET",
      path: `/users/me/searches/${segment(id)}/ads`,
      auth: true,
      answer: "json",
      query,
      options,
    });
  }

  /**
   * List the caller's saved searches
   *
   * Returns a page of the caller's saved searches, the newest first, with the number of new
   * matches of each.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/searches`
   */
  listMySearches(
    query: NonNullable<T.ListMySearchesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMySearchesResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/searches", auth: true, answer: "json", query, options });
  }

  /** All that `listMySearches` finds, page by page: `limit` is how much is on a page. */
  mySearches(
    query: Omit<NonNullable<T.ListMySearchesData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMySearchesResponses[200]["results"][number], T.ListMySearchesResponses[200]> {
    return new Pages((cursor) =>
      this.listMySearches({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Save a search
   *
   * Saves a query of `GET /ads`, and returns it with its id. From now on, ads that become visible
   * or come to match are counted, and notified of as `notify` says.
   *
   * The query is validated as there, and kept in one spelling; the same query again returns the
   * search that exists, with 200. One that has neither words, category, attribute, place nor author
   * is refused as `too-broad`. Of too many words it has the ones that `GET /ads` searches for now.
   * Unknown parameters are left out; with `Prefer: handling=strict` both are refused. How many
   * an account may have depends on its plan. Counts towards its limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/searches`
   */
  saveSearch(
    body: T.SaveSearchData["body"],
    options: CallOptions = {},
  ): Promise<T.SaveSearchResponses[200] | T.SaveSearchResponses[201]> {
    return this.call({ method: "POST", path: "/users/me/searches", auth: true, answer: "json", json: body, options });
  }

  /**
   * Delete a saved search
   *
   * Deletes a saved search of the caller. Its notifications stay.
   *
   * A key needs the scope `account:write`.
   *
   * `DELETE /users/me/searches/{id}`
   */
  deleteSearch(id: T.DeleteSearchData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/searches/${segment(id)}`, auth: true, options });
  }

  /**
   * Change a saved search
   *
   * Changes the name, or when new matches are notified of, and returns the search.
   *
   * After `never`, notifications begin with what matches from then on. Counts towards the account's
   * limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `PATCH /users/me/searches/{id}`
   */
  updateSearch(
    id: T.UpdateSearchData["path"]["id"],
    body: T.UpdateSearchData["body"],
    options: CallOptions = {},
  ): Promise<T.UpdateSearchResponses[200]> {
    return this.call({
      method: "PATCH",
      path: `/users/me/searches/${segment(id)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Mark a search's matches as seen
   *
   * Sets `newCount` to 0. Alerts that would end, because they were not opened for 180 days, go
   * on.
   *
   * Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/searches/{id}/seen`
   */
  markSearchSeen(id: T.MarkSearchSeenData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/users/me/searches/${segment(id)}/seen`, auth: true, options });
  }

  /**
   * List the caller's imports
   *
   * Returns the ten newest imports of the caller, of the last 30 days.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /imports`
   */
  listImports(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListImportsResponses[200]> {
    return this.call({ method: "GET", path: "/imports", auth: true, answer: "json", options });
  }

  /**
   * Import a feed of ads
   *
   * Makes the caller's ads as the feed has them, by their `externalId`, and returns how far that
   * has come. The rest is done later: `GET /imports/{id}`.
   *
   * Every account may; some sites require a confirmed mail address. A feed has up to 10,000 rows and
   * 16 MiB, a row as much as a body of JSON may have. Rows of ads that are as the last import has
   * left them write nothing. A row that is wrong fails alone. Pictures are fetched from their
   * addresses, and count towards the account's limit on uploads: rows wait for it. An account has
   * one import at a time; one that waits for its confirmation is replaced. Counts towards the
   * account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /imports`
   */
  createImport(
    text: Text,
    query: NonNullable<T.CreateImportData["query"]> = {},
    options: CallOptions & IdempotencyKeyOption & ProgressOption = {},
  ): Promise<T.CreateImportResponses[202]> {
    return this.call({
      method: "POST",
      path: "/imports",
      auth: true,
      keyed: true,
      answer: "json",
      query,
      text,
      options,
    });
  }

  /**
   * Get an import
   *
   * Returns how far an import of the caller has come. The ten newest of an account are
   * kept, for 30 days.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /imports/{id}`
   */
  getImport(
    id: T.GetImportData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetImportResponses[200]> {
    return this.call({ method: "GET", path: `/imports/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * List what an import changes
   *
   * Returns a page of the rows that change something or have failed, and of the ads that are
   * withdrawn.
   *
   * A key needs the scope `ads:read`.
   *
   * `GET /imports/{id}/rows`
   */
  listImportRows(
    id: T.ListImportRowsData["path"]["id"],
    query: NonNullable<T.ListImportRowsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListImportRowsResponses[200]> {
    return this.call({
      method: "GET",
      path: `/imports/${segment(id)}/rows`,
      auth: true,
      answer: "json",
      query,
      options,
    });
  }

  /** All that `listImportRows` finds, page by page: `limit` is how much is on a page. */
  importRows(
    id: T.ListImportRowsData["path"]["id"],
    query: Omit<NonNullable<T.ListImportRowsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListImportRowsResponses[200]["results"][number], T.ListImportRowsResponses[200]> {
    return new Pages((cursor) =>
      this.listImportRows(id, { ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Confirm an import
   *
   * Begins an import that waits because it would withdraw more than half of the caller's ads, and
   * returns it.
   *
   * Counts towards the account's limit on changes.
   *
   * A key needs the scope `ads:write`.
   *
   * `POST /imports/{id}/confirm`
   */
  confirmImport(
    id: T.ConfirmImportData["path"]["id"],
    options: CallOptions = {},
  ): Promise<T.ConfirmImportResponses[200]> {
    return this.call({ method: "POST", path: `/imports/${segment(id)}/confirm`, auth: true, answer: "json", options });
  }

  /**
   * List the webhooks
   *
   * Returns all webhooks of the site, whoever created them, or of the account.
   *
   * A key needs the scope `admin`.
   *
   * `GET /webhooks`
   */
  listWebhooks(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListWebhooksResponses[200]> {
    return this.call({ method: "GET", path: "/webhooks", auth: true, answer: "json", options });
  }

  /**
   * Create a webhook
   *
   * Creates a webhook, and returns it with its secret, which cannot be read again. From now on
   * events of these types are sent to the URL by `POST`.
   *
   * They are signed as Standard Webhooks says: `webhook-id`, which is the same at each attempt,
   * `webhook-timestamp` and `webhook-signature`. The body is the `Event`. An answer of 2xx within 15
   * seconds accepts it; anything else, redirects included, is repeated after 5 seconds, 5 and 30
   * minutes, and 2, 5, 10, 14, 20 and 24 hours. Events may come twice, and in another order than
   * that of their ids. After five days of failure, or an answer of 410, the webhook is disabled, and
   * its creator gets a mail.
   *
   * The site may have 20 webhooks, which administrators manage below `/webhooks`; an account five,
   * below `/users/me/webhooks`. An account is sent what concerns it: `ad.*` of its own ads,
   * `message.sent`, `offer.made` and `offer.accepted` of the other party, and `searchMatched` with
   * the ids of its `searches`. For these a key also needs `ads:read`, `messages:read` and
   * `account:read`. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /webhooks`
   */
  createWebhook(body: T.CreateWebhookData["body"], options: CallOptions = {}): Promise<T.CreateWebhookResponses[201]> {
    return this.call({ method: "POST", path: "/webhooks", auth: true, answer: "json", json: body, options });
  }

  /**
   * Get a webhook
   *
   * Returns a webhook.
   *
   * A key needs the scope `admin`.
   *
   * `GET /webhooks/{id}`
   */
  getWebhook(
    id: T.GetWebhookData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetWebhookResponses[200]> {
    return this.call({ method: "GET", path: `/webhooks/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * Delete a webhook
   *
   * Deletes a webhook with its deliveries. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /webhooks/{id}`
   */
  deleteWebhook(id: T.DeleteWebhookData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/webhooks/${segment(id)}`, auth: true, options });
  }

  /**
   * Change a webhook
   *
   * Changes the members that are sent, and returns the webhook.
   *
   * What is pending when it is disabled is given up. When it is enabled, events are sent from then
   * on. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PATCH /webhooks/{id}`
   */
  updateWebhook(
    id: T.UpdateWebhookData["path"]["id"],
    body: T.UpdateWebhookData["body"],
    options: CallOptions = {},
  ): Promise<T.UpdateWebhookResponses[200]> {
    return this.call({
      method: "PATCH",
      path: `/webhooks/${segment(id)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Give a webhook another secret
   *
   * Gives the webhook a new secret, and returns it with that.
   *
   * For 24 hours the secret before signs too, so each `webhook-signature` then has two. Of two
   * rotations within 24 hours the first secret signs no more. Counts towards the account's limit on
   * changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /webhooks/{id}/rotate`
   */
  rotateWebhook(
    id: T.RotateWebhookData["path"]["id"],
    options: CallOptions = {},
  ): Promise<T.RotateWebhookResponses[200]> {
    return this.call({ method: "POST", path: `/webhooks/${segment(id)}/rotate`, auth: true, answer: "json", options });
  }

  /**
   * Send a test to a webhook
   *
   * Queues an event of the type `webhook.test` with the id 0. The list of deliveries has what
   * becomes of it. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /webhooks/{id}/test`
   */
  testWebhook(id: T.TestWebhookData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/webhooks/${segment(id)}/test`, auth: true, options });
  }

  /**
   * List the deliveries to a webhook
   *
   * Returns a page of the deliveries to a webhook, the newest first. Those that have ended are
   * kept for some days.
   *
   * A key needs the scope `admin`.
   *
   * `GET /webhooks/{id}/deliveries`
   */
  listDeliveries(
    id: T.ListDeliveriesData["path"]["id"],
    query: NonNullable<T.ListDeliveriesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListDeliveriesResponses[200]> {
    return this.call({
      method: "GET",
      path: `/webhooks/${segment(id)}/deliveries`,
      auth: true,
      answer: "json",
      query,
      options,
    });
  }

  /** All that `listDeliveries` finds, page by page: `limit` is how much is on a page. */
  deliveries(
    id: T.ListDeliveriesData["path"]["id"],
    query: Omit<NonNullable<T.ListDeliveriesData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListDeliveriesResponses[200]["results"][number], T.ListDeliveriesResponses[200]> {
    return new Pages((cursor) =>
      this.listDeliveries(id, { ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Send a delivery again
   *
   * Sends a delivery at once, with the same `webhook-id`. One that has ended begins its attempts
   * anew, also if it was delivered. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /webhooks/{id}/deliveries/{deliveryId}/retry`
   */
  retryDelivery(
    id: T.RetryDeliveryData["path"]["id"],
    deliveryId: T.RetryDeliveryData["path"]["deliveryId"],
    options: CallOptions = {},
  ): Promise<void> {
    return this.call({
      method: "POST",
      path: `/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/retry`,
      auth: true,
      options,
    });
  }

  /**
   * Send failed deliveries again
   *
   * Sends all deliveries that were queued since the moment and given up, with the same
   * `webhook-id`. They begin their attempts anew. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /webhooks/{id}/replay`
   */
  replayDeliveries(
    id: T.ReplayDeliveriesData["path"]["id"],
    body: T.ReplayDeliveriesData["body"],
    options: CallOptions = {},
  ): Promise<void> {
    return this.call({ method: "POST", path: `/webhooks/${segment(id)}/replay`, auth: true, json: body, options });
  }

  /**
   * List the webhooks
   *
   * Returns all webhooks of the site, whoever created them, or of the account.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/webhooks`
   */
  listMyWebhooks(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMyWebhooksResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/webhooks", auth: true, answer: "json", options });
  }

  /**
   * Create a webhook
   *
   * Creates a webhook, and returns it with its secret, which cannot be read again. From now on
   * events of these types are sent to the URL by `POST`.
   *
   * They are signed as Standard Webhooks says: `webhook-id`, which is the same at each attempt,
   * `webhook-timestamp` and `webhook-signature`. The body is the `Event`. An answer of 2xx within 15
   * seconds accepts it; anything else, redirects included, is repeated after 5 seconds, 5 and 30
   * minutes, and 2, 5, 10, 14, 20 and 24 hours. Events may come twice, and in another order than
   * that of their ids. After five days of failure, or an answer of 410, the webhook is disabled, and
   * its creator gets a mail.
   *
   * The site may have 20 webhooks, which administrators manage below `/webhooks`; an account five,
   * below `/users/me/webhooks`. An account is sent what concerns it: `ad.*` of its own ads,
   * `message.sent`, `offer.made` and `offer.accepted` of the other party, and `searchMatched` with
   * the ids of its `searches`. For these a key also needs `ads:read`, `messages:read` and
   * `account:read`. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/webhooks`
   */
  createMyWebhook(
    body: T.CreateMyWebhookData["body"],
    options: CallOptions = {},
  ): Promise<T.CreateMyWebhookResponses[201]> {
    return this.call({ method: "POST", path: "/users/me/webhooks", auth: true, answer: "json", json: body, options });
  }

  /**
   * Get a webhook
   *
   * Returns a webhook.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/webhooks/{id}`
   */
  getMyWebhook(
    id: T.GetMyWebhookData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetMyWebhookResponses[200]> {
    return this.call({ method: "GET", path: `/users/me/webhooks/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * Delete a webhook
   *
   * Deletes a webhook with its deliveries. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `DELETE /users/me/webhooks/{id}`
   */
  deleteMyWebhook(id: T.DeleteMyWebhookData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/webhooks/${segment(id)}`, auth: true, options });
  }

  /**
   * Change a webhook
   *
   * Changes the members that are sent, and returns the webhook.
   *
   * What is pending when it is disabled is given up. When it is enabled, events are sent from then
   * on. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `PATCH /users/me/webhooks/{id}`
   */
  updateMyWebhook(
    id: T.UpdateMyWebhookData["path"]["id"],
    body: T.UpdateMyWebhookData["body"],
    options: CallOptions = {},
  ): Promise<T.UpdateMyWebhookResponses[200]> {
    return this.call({
      method: "PATCH",
      path: `/users/me/webhooks/${segment(id)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Give a webhook another secret
   *
   * Gives the webhook a new secret, and returns it with that.
   *
   * For 24 hours the secret before signs too, so each `webhook-signature` then has two. Of two
   * rotations within 24 hours the first secret signs no more. Counts towards the account's limit on
   * changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/webhooks/{id}/rotate`
   */
  rotateMyWebhook(
    id: T.RotateMyWebhookData["path"]["id"],
    options: CallOptions = {},
  ): Promise<T.RotateMyWebhookResponses[200]> {
    return this.call({
      method: "POST",
      path: `/users/me/webhooks/${segment(id)}/rotate`,
      auth: true,
      answer: "json",
      options,
    });
  }

  /**
   * Send a test to a webhook
   *
   * Queues an event of the type `webhook.test` with the id 0. The list of deliveries has what
   * becomes of it. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/webhooks/{id}/test`
   */
  testMyWebhook(id: T.TestMyWebhookData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/users/me/webhooks/${segment(id)}/test`, auth: true, options });
  }

  /**
   * List the deliveries to a webhook
   *
   * Returns a page of the deliveries to a webhook, the newest first. Those that have ended are
   * kept for some days.
   *
   * A key needs the scope `account:read`.
   *
   * `GET /users/me/webhooks/{id}/deliveries`
   */
  listMyDeliveries(
    id: T.ListMyDeliveriesData["path"]["id"],
    query: NonNullable<T.ListMyDeliveriesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListMyDeliveriesResponses[200]> {
    return this.call({
      method: "GET",
      path: `/users/me/webhooks/${segment(id)}/deliveries`,
      auth: true,
      answer: "json",
      query,
      options,
    });
  }

  /** All that `listMyDeliveries` finds, page by page: `limit` is how much is on a page. */
  myDeliveries(
    id: T.ListMyDeliveriesData["path"]["id"],
    query: Omit<NonNullable<T.ListMyDeliveriesData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListMyDeliveriesResponses[200]["results"][number], T.ListMyDeliveriesResponses[200]> {
    return new Pages((cursor) =>
      this.listMyDeliveries(id, { ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Send a delivery again
   *
   * Sends a delivery at once, with the same `webhook-id`. One that has ended begins its attempts
   * anew, also if it was delivered. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/webhooks/{id}/deliveries/{deliveryId}/retry`
   */
  retryMyDelivery(
    id: T.RetryMyDeliveryData["path"]["id"],
    deliveryId: T.RetryMyDeliveryData["path"]["deliveryId"],
    options: CallOptions = {},
  ): Promise<void> {
    return this.call({
      method: "POST",
      path: `/users/me/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/retry`,
      auth: true,
      options,
    });
  }

  /**
   * Send failed deliveries again
   *
   * Sends all deliveries that were queued since the moment and given up, with the same
   * `webhook-id`. They begin their attempts anew. Counts towards the account's limit on changes.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/webhooks/{id}/replay`
   */
  replayMyDeliveries(
    id: T.ReplayMyDeliveriesData["path"]["id"],
    body: T.ReplayMyDeliveriesData["body"],
    options: CallOptions = {},
  ): Promise<void> {
    return this.call({
      method: "POST",
      path: `/users/me/webhooks/${segment(id)}/replay`,
      auth: true,
      json: body,
      options,
    });
  }

  /**
   * Get what waits and what grows
   *
   * Returns figures of the site: what is new, and what waits for somebody. Cases about what the
   * caller wrote do not count: another person decides them. `days` may be ten seconds old.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/overview`
   */
  getOverview(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetOverviewResponses[200]> {
    return this.call({ method: "GET", path: "/admin/overview", auth: true, answer: "json", options });
  }

  /**
   * List ads of every status
   *
   * Returns a page of ads, whatever their status, the newest first. With words a page may be
   * short and still have a next one; ads that everyone sees come first then.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/ads`
   */
  listAllAds(
    query: NonNullable<T.ListAllAdsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListAllAdsResponses[200]> {
    return this.call({ method: "GET", path: "/admin/ads", auth: true, answer: "json", query, options });
  }

  /** All that `listAllAds` finds, page by page: `limit` is how much is on a page. */
  allAds(
    query: Omit<NonNullable<T.ListAllAdsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListAllAdsResponses[200]["results"][number], T.ListAllAdsResponses[200]> {
    return new Pages((cursor) => this.listAllAds({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * Hide many ads, or show them again
   *
   * Makes the same decision about up to 100 ads, and returns what became of each. All that can be
   * changed are changed together; the others stay as they are, with the reason. With `dryRun` it
   * returns the same, and changes nothing.
   *
   * Each ad gets a decision of its own, as by `POST /moderation/cases/{id}/decisions`: its author
   * receives the reasons and may appeal. Administrators may. However many ads, it counts once
   * towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/ads/decisions`
   */
  decideAds(
    body: T.DecideAdsData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.DecideAdsResponses[200]> {
    return this.call({
      method: "POST",
      path: "/admin/ads/decisions",
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * List the audit trail
   *
   * Returns a page of events of interest to security, the newest first: who changed what of
   * whom. With several filters a page may be short and still have a next one.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/audit`
   */
  listAuditEvents(
    query: NonNullable<T.ListAuditEventsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListAuditEventsResponses[200]> {
    return this.call({ method: "GET", path: "/admin/audit", auth: true, answer: "json", query, options });
  }

  /** All that `listAuditEvents` finds, page by page: `limit` is how much is on a page. */
  auditEvents(
    query: Omit<NonNullable<T.ListAuditEventsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListAuditEventsResponses[200]["results"][number], T.ListAuditEventsResponses[200]> {
    return new Pages((cursor) =>
      this.listAuditEvents({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * List the settings in force
   *
   * Returns all settings of the process that answers, by name, and where each came from. The
   * values of secrets are left out, and accounts in addresses.
   *
   * Administrators may. Settings are changed where the service is started.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/settings`
   */
  listSettings(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListSettingsResponses[200]> {
    return this.call({ method: "GET", path: "/admin/settings", auth: true, answer: "json", options });
  }

  /**
   * Get whether there is maintenance
   *
   * Returns the mode of the process that answers.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/maintenance`
   */
  getMaintenance(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetMaintenanceResponses[200]> {
    return this.call({ method: "GET", path: "/admin/maintenance", auth: true, answer: "json", options });
  }

  /**
   * Close the site, or all changes
   *
   * Closes the site for others than administrators, or only their changes, or opens it again. All
   * processes follow within a second.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /admin/maintenance`
   */
  changeMaintenance(body: T.ChangeMaintenanceData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "PUT", path: "/admin/maintenance", auth: true, json: body, options });
  }

  /**
   * List the access rules
   *
   * Returns the access rules that are in effect in the process that answers.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/access-rules`
   */
  listAccessRules(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListAccessRulesResponses[200]> {
    return this.call({ method: "GET", path: "/admin/access-rules", auth: true, answer: "json", options });
  }

  /**
   * Refuse a network, or raise its rate limits or an account's
   *
   * Refuses all requests from a network for a time, or multiplies the rate limits of a network or
   * an account, or ends that. All processes follow within a second. A network that contains the
   * address of the request cannot be refused.
   *
   * A factor of a network multiplies the limits by address, but not those on guesses at one account.
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /admin/access-rules`
   */
  changeAccessRule(body: T.ChangeAccessRuleData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "PUT", path: "/admin/access-rules", auth: true, json: body, options });
  }

  /**
   * List the regular jobs
   *
   * Returns all regular jobs, and when each last succeeded and failed, in any process.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/jobs`
   */
  listJobs(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListJobsResponses[200]> {
    return this.call({ method: "GET", path: "/admin/jobs", auth: true, answer: "json", options });
  }

  /**
   * Run a job now
   *
   * Requests a run of a regular job. A process that runs jobs begins it at once, unless it is
   * running; then that run is followed by another one. `GET /admin/jobs` has what becomes of it.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/jobs/{name}/run`
   */
  runJob(name: T.RunJobData["path"]["name"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/admin/jobs/${segment(name)}/run`, auth: true, options });
  }

  /**
   * List the outbox
   *
   * Returns a page of the work that follows from changes, such as mails: what is to be done yet,
   * and what was given up. The newest first.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/outbox`
   */
  listOutbox(
    query: NonNullable<T.ListOutboxData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListOutboxResponses[200]> {
    return this.call({ method: "GET", path: "/admin/outbox", auth: true, answer: "json", query, options });
  }

  /** All that `listOutbox` finds, page by page: `limit` is how much is on a page. */
  outbox(
    query: Omit<NonNullable<T.ListOutboxData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListOutboxResponses[200]["results"][number], T.ListOutboxResponses[200]> {
    return new Pages((cursor) => this.listOutbox({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options));
  }

  /**
   * Try a dead letter again
   *
   * Tries an entry that was given up again, at once and with all its attempts. One that waits
   * stays as it is: it is tried at its time.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/outbox/{id}/retry`
   */
  retryOutboxEntry(id: T.RetryOutboxEntryData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/admin/outbox/${segment(id)}/retry`, auth: true, options });
  }

  /**
   * Delete an entry of the outbox
   *
   * Deletes an entry, so that its work is not done. An attempt that has begun goes on.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /admin/outbox/{id}`
   */
  deleteOutboxEntry(id: T.DeleteOutboxEntryData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/admin/outbox/${segment(id)}`, auth: true, options });
  }

  /**
   * List deletions that can be undone
   *
   * Returns a page of deletions of ads and accounts that are not final yet, the newest first.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/deletions`
   */
  listDeletions(
    query: NonNullable<T.ListDeletionsData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListDeletionsResponses[200]> {
    return this.call({ method: "GET", path: "/admin/deletions", auth: true, answer: "json", query, options });
  }

  /** All that `listDeletions` finds, page by page: `limit` is how much is on a page. */
  deletions(
    query: Omit<NonNullable<T.ListDeletionsData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListDeletionsResponses[200]["results"][number], T.ListDeletionsResponses[200]> {
    return new Pages((cursor) =>
      this.listDeletions({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Undo a deletion
   *
   * Brings an ad or account back with what went with it: pictures, comments, history; of an
   * account also its ads, favorites, searches and second factors. Its sessions, keys and webhooks do
   * not come back, nor do rows of accounts that are gone by now. Nobody gets a mail.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/deletions/{id}/undo`
   */
  undoDeletion(id: T.UndoDeletionData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/admin/deletions/${segment(id)}/undo`, auth: true, options });
  }

  /**
   * Make a deletion final
   *
   * Removes at once what is stored to undo a deletion; of an account, all that is stored of it.
   * The regular jobs delete the pictures.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /admin/deletions/{id}`
   */
  purgeDeletion(id: T.PurgeDeletionData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/admin/deletions/${segment(id)}`, auth: true, options });
  }

  /**
   * List the texts of mails
   *
   * Returns what administrators have written of each kind of mail.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/mails`
   */
  listMails(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMailsResponses[200]> {
    return this.call({ method: "GET", path: "/admin/mails", auth: true, answer: "json", options });
  }

  /**
   * Get the texts of a mail
   *
   * Returns what administrators have written of this kind of mail.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/mails/{kind}`
   */
  getMail(
    kind: T.GetMailData["path"]["kind"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetMailResponses[200]> {
    return this.call({ method: "GET", path: `/admin/mails/${segment(kind)}`, auth: true, answer: "json", options });
  }

  /**
   * Write the texts of a mail
   *
   * Replaces the subject and the beginning of this kind of mail, and returns them. Mails have
   * them within a second. It is a change of the site, so it is in its history.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /admin/mails/{kind}`
   */
  writeMail(
    kind: T.WriteMailData["path"]["kind"],
    body: T.WriteMailData["body"],
    options: CallOptions = {},
  ): Promise<T.WriteMailResponses[200]> {
    return this.call({
      method: "PUT",
      path: `/admin/mails/${segment(kind)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Send a sample of a mail
   *
   * Sends a mail of this kind with made-up values to the caller's verified address, in the
   * language of the account. Its links lead nowhere.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/mails/{kind}/test`
   */
  testMail(kind: T.TestMailData["path"]["kind"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: `/admin/mails/${segment(kind)}/test`, auth: true, options });
  }

  /**
   * Get what can be set of the site
   *
   * Returns the site as the process that answers has it.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/site`
   */
  getAdministeredSite(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetAdministeredSiteResponses[200]> {
    return this.call({ method: "GET", path: "/admin/site", auth: true, answer: "json", options });
  }

  /**
   * Change the site
   *
   * Changes the members that are sent, and returns the site. All processes follow within a
   * second.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PATCH /admin/site`
   */
  updateSite(
    body: T.UpdateSiteData["body"],
    options: CallOptions & IfMatchOption = {},
  ): Promise<T.UpdateSiteResponses[200]> {
    return this.call({ method: "PATCH", path: "/admin/site", auth: true, answer: "json", json: body, options });
  }

  /**
   * Replace the site's logo
   *
   * Stores a picture for the header, beside the site's name, and returns the site.
   *
   * Administrators may. Counts towards the account's limit on uploads.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /admin/site/logo`
   */
  replaceSiteLogo(
    file: Upload,
    options: CallOptions & IfMatchOption & ProgressOption = {},
  ): Promise<T.ReplaceSiteLogoResponses[200]> {
    return this.call({
      method: "PUT",
      path: "/admin/site/logo",
      auth: true,
      answer: "json",
      parts: { image: file },
      options,
    });
  }

  /**
   * Remove the site's logo
   *
   * Brings the storefront's own logo back, and returns the site.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /admin/site/logo`
   */
  removeSiteLogo(options: CallOptions & IfMatchOption = {}): Promise<T.RemoveSiteLogoResponses[200]> {
    return this.call({ method: "DELETE", path: "/admin/site/logo", auth: true, answer: "json", options });
  }

  /**
   * Replace the site's icon
   *
   * Stores a picture, from which the icons of browser tabs, of phones and of mails are made, and returns the site.
   *
   * Administrators may. Counts towards the account's limit on uploads.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /admin/site/icon`
   */
  replaceSiteIcon(
    file: Upload,
    options: CallOptions & IfMatchOption & ProgressOption = {},
  ): Promise<T.ReplaceSiteIconResponses[200]> {
    return this.call({
      method: "PUT",
      path: "/admin/site/icon",
      auth: true,
      answer: "json",
      parts: { image: file },
      options,
    });
  }

  /**
   * Remove the site's icon
   *
   * Brings the storefront's own icon back, and returns the site.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /admin/site/icon`
   */
  removeSiteIcon(options: CallOptions & IfMatchOption = {}): Promise<T.RemoveSiteIconResponses[200]> {
    return this.call({ method: "DELETE", path: "/admin/site/icon", auth: true, answer: "json", options });
  }

  /**
   * List the changes of the site
   *
   * Returns a page of what administrators have changed of the site, the newest first.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/site/history`
   */
  listSiteChanges(
    query: NonNullable<T.ListSiteChangesData["query"]> = {},
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.ListSiteChangesResponses[200]> {
    return this.call({ method: "GET", path: "/admin/site/history", auth: true, answer: "json", query, options });
  }

  /** All that `listSiteChanges` finds, page by page: `limit` is how much is on a page. */
  siteChanges(
    query: Omit<NonNullable<T.ListSiteChangesData["query"]>, "cursor"> = {},
    options: CallOptions = {},
  ): Pages<T.ListSiteChangesResponses[200]["results"][number], T.ListSiteChangesResponses[200]> {
    return new Pages((cursor) =>
      this.listSiteChanges({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options),
    );
  }

  /**
   * Undo a change of the site
   *
   * Brings back the members that a change replaced, as they were before it, and returns the
   * site. Other members stay. That is a change too.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/site/history/{id}/restore`
   */
  restoreSite(id: T.RestoreSiteData["path"]["id"], options: CallOptions = {}): Promise<T.RestoreSiteResponses[200]> {
    return this.call({
      method: "POST",
      path: `/admin/site/history/${segment(id)}/restore`,
      auth: true,
      answer: "json",
      options,
    });
  }

  /**
   * List the pages of the site
   *
   * Returns the pages that administrators have written, in their order.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/pages`
   */
  listSitePages(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListSitePagesResponses[200]> {
    return this.call({ method: "GET", path: "/admin/pages", auth: true, answer: "json", options });
  }

  /**
   * Get a page of the site
   *
   * Returns a page that administrators have written.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/pages/{slug}`
   */
  getSitePage(
    slug: T.GetSitePageData["path"]["slug"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetSitePageResponses[200]> {
    return this.call({ method: "GET", path: `/admin/pages/${segment(slug)}`, auth: true, answer: "json", options });
  }

  /**
   * Create or replace a page of the site
   *
   * Stores a page in Markdown, shown at `/pages/{slug}` at once. Its version stays: a page of
   * terms gets a new one by `POST /admin/pages/{slug}/publish`.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /admin/pages/{slug}`
   */
  saveSitePage(
    slug: T.SaveSitePageData["path"]["slug"],
    body: T.SaveSitePageData["body"],
    options: CallOptions & IfMatchOption = {},
  ): Promise<T.SaveSitePageResponses[200]> {
    return this.call({
      method: "PUT",
      path: `/admin/pages/${segment(slug)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Delete a page of the site
   *
   * Deletes a page. The history of the site brings it back.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /admin/pages/{slug}`
   */
  deleteSitePage(slug: T.DeleteSitePageData["path"]["slug"], options: CallOptions & IfMatchOption = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/admin/pages/${segment(slug)}`, auth: true, options });
  }

  /**
   * Publish a new version of a page
   *
   * Gives the page, as it is now, a new version. Accounts accept terms by their version.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/pages/{slug}/publish`
   */
  publishSitePage(
    slug: T.PublishSitePageData["path"]["slug"],
    options: CallOptions & IfMatchOption = {},
  ): Promise<T.PublishSitePageResponses[200]> {
    return this.call({
      method: "POST",
      path: `/admin/pages/${segment(slug)}/publish`,
      auth: true,
      answer: "json",
      options,
    });
  }

  /**
   * List the invitations to register
   *
   * Returns the newest invitations, also those that are used up, without their codes.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/invitations`
   */
  listInvitations(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListInvitationsResponses[200]> {
    return this.call({ method: "GET", path: "/admin/invitations", auth: true, answer: "json", options });
  }

  /**
   * Create an invitation to register
   *
   * Creates an invitation, and returns it with its code, which cannot be read again.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `POST /admin/invitations`
   */
  createInvitation(
    body: T.CreateInvitationData["body"],
    options: CallOptions = {},
  ): Promise<T.CreateInvitationResponses[201]> {
    return this.call({ method: "POST", path: "/admin/invitations", auth: true, answer: "json", json: body, options });
  }

  /**
   * Delete an invitation
   *
   * Deletes an invitation: its code is not valid any more.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /admin/invitations/{id}`
   */
  deleteInvitation(id: T.DeleteInvitationData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/admin/invitations/${segment(id)}`, auth: true, options });
  }

  /**
   * Log in by the code of a provider's login
   *
   * Takes the code, begins a session and returns its tokens. A person whom no account knows gets
   * a new one, without a password, if the provider has verified the mail address.
   *
   * With an authenticator app the answer is 401 `second-factor-required` with a `challenge`, as at
   * `POST /login`. If the address is that of an account, it is 409 `link-required` with a
   * `challenge`, and a mail has a link: either confirms at `POST /login/oidc/link` that the account
   * is the person's. The code counts once, within ten minutes, in the browser that began the login.
   * A new account needs `invitation` and `acceptedTerms` as at `POST /register`; a refusal for these
   * does not use the code up.
   *
   * `POST /login/oidc`
   */
  logInByProvider(
    body: T.LogInByProviderData["body"],
    options: CallOptions = {},
  ): Promise<T.LogInByProviderResponses[200]> {
    return this.call({ method: "POST", path: "/login/oidc", answer: "json", json: body, options });
  }

  /**
   * Confirm that a provider's person may use an account
   *
   * Links the person of a refused login to the account with the same mail address, begins a
   * session and returns its tokens. The account gets a mail about it.
   *
   * The account's password confirms it, or the token of the mail; with an authenticator app a `code`
   * is needed, too (403 `second-factor-required`). Only in the browser that began the login, within
   * an hour. A wrong password counts as an attempt to log in.
   *
   * `POST /login/oidc/link`
   */
  linkIdentity(body: T.LinkIdentityData["body"], options: CallOptions = {}): Promise<T.LinkIdentityResponses[200]> {
    return this.call({ method: "POST", path: "/login/oidc/link", answer: "json", json: body, options });
  }

  /**
   * List what the caller signs in with at providers
   *
   * Returns all identities of the caller's account, the newest first.
   *
   * Needs a session: a key is refused.
   *
   * `GET /users/me/identities`
   */
  listMyIdentities(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMyIdentitiesResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/identities", auth: true, answer: "json", options });
  }

  /**
   * Add what the caller signs in with at a provider
   *
   * Adds the person of a completed login at a provider to the caller's account, which gets a
   * mail. The mail address of that person may be another one.
   *
   * Only in the browser that began the login. The current password is needed, in an account without
   * one a login of the last five minutes. A wrong one counts as an attempt to log in.
   *
   * Needs a session: a key is refused.
   *
   * `POST /users/me/identities`
   */
  addIdentity(body: T.AddIdentityData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/users/me/identities", auth: true, json: body, options });
  }

  /**
   * Remove what the caller signs in with at a provider
   *
   * Removes an identity of the caller's account, which gets a mail. The last way to sign in is
   * refused.
   *
   * Needs a session: a key is refused.
   *
   * `DELETE /users/me/identities/{id}`
   */
  deleteIdentity(id: T.DeleteIdentityData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/identities/${segment(id)}`, auth: true, options });
  }

  /**
   * List the OpenID providers
   *
   * Returns all OpenID providers of the site, without their secrets.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/providers`
   */
  listProviders(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListProvidersResponses[200]> {
    return this.call({ method: "GET", path: "/admin/providers", auth: true, answer: "json", options });
  }

  /**
   * Get an OpenID provider
   *
   * Returns an OpenID provider, without its secret.
   *
   * Administrators may.
   *
   * A key needs the scope `admin`.
   *
   * `GET /admin/providers/{id}`
   */
  getProvider(
    id: T.GetProviderData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetProviderResponses[200]> {
    return this.call({ method: "GET", path: `/admin/providers/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * Add or replace an OpenID provider
   *
   * Adds an OpenID provider, or replaces it, and returns it. The storefront shows a button for it
   * within a second. The issuer is `https`, and that of no other provider; with another issuer the
   * secret is needed again. The site may have 20.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `PUT /admin/providers/{id}`
   */
  putProvider(
    id: T.PutProviderData["path"]["id"],
    body: T.PutProviderData["body"],
    options: CallOptions = {},
  ): Promise<T.PutProviderResponses[200] | T.PutProviderResponses[201]> {
    return this.call({
      method: "PUT",
      path: `/admin/providers/${segment(id)}`,
      auth: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Delete an OpenID provider
   *
   * Deletes an OpenID provider. Nobody signs in with it any more; sessions go on. What accounts
   * had there counts again for a provider with the same issuer. An account without a password sets
   * one up by `POST /password/forgot`.
   *
   * Administrators may. Counts towards the account's limit on changes.
   *
   * A key needs the scope `admin`.
   *
   * `DELETE /admin/providers/{id}`
   */
  deleteProvider(id: T.DeleteProviderData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/admin/providers/${segment(id)}`, auth: true, options });
  }

  /**
   * Get what everyone sees of an account
   *
   * Returns an account's first name, avatar and age, and how many ads it has and has sold.
   *
   * Anyone may call it; it counts as a search towards the limit by address. An account that is
   * suspended, or has published no ad, is 404. `GET /ads?author=` has its ads.
   *
   * `GET /sellers/{id}`
   */
  getSeller(
    id: T.GetSellerData["path"]["id"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.GetSellerResponses[200]> {
    return this.call({ method: "GET", path: `/sellers/${segment(id)}`, answer: "json", options });
  }

  /**
   * Get a picture that may be hidden
   *
   * Returns a picture, also one of a suspended or removed ad or a suspended account, by its
   * public name.
   *
   * Moderators and administrators may, and the author of the ad.
   *
   * A key needs the scope `moderation`.
   *
   * `GET /moderation/images/{name}`
   */
  getModeratedImage(name: T.GetModeratedImageData["path"]["name"], options: CallOptions = {}): Promise<Blob> {
    return this.call({
      method: "GET",
      path: `/moderation/images/${segment(name)}`,
      auth: true,
      answer: "blob",
      options,
    });
  }

  /**
   * Send the confirmation link again
   *
   * Sends the link that confirms a mail address once more, to the caller's address that is not
   * confirmed yet. If there is none, nothing is sent.
   *
   * Mails are limited by account and by address.
   *
   * A key needs the scope `account:write`.
   *
   * `POST /users/me/mail/verification`
   */
  requestMailVerification(options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/users/me/mail/verification", auth: true, options });
  }

  /**
   * Confirm a mail address
   *
   * Confirms a mail address by the token of the link that was sent to it.
   *
   * Anyone who has the token may call it. A token works once, within a day.
   * Attempts are limited by address.
   *
   * `POST /mail/verify`
   */
  verifyMail(body: T.VerifyMailData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/mail/verify", json: body, options });
  }

  /**
   * Report a login as somebody else's
   *
   * Reports the login that a mail was about: "this was not me". All sessions of the account end,
   * its password is void, and its address gets the link that replaces it. Keys, passkeys,
   * identities and an authenticator app that the session of that login or a later one has added are
   * removed; with `endKeys` all keys are.
   *
   * Anyone who has the token may call it. A token works once, within a week, also after a change of
   * the password. Attempts are limited by address.
   *
   * `POST /login/report`
   */
  reportLogin(body: T.ReportLoginData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/login/report", json: body, options });
  }

  /**
   * Request a link to replace a forgotten password
   *
   * Sends a link to the account's confirmed mail address. An address that was never confirmed
   * receives the link that confirms it instead.
   *
   * Anyone may call it. The answer is always 202, so that it does not reveal which accounts exist.
   * Mails are limited by account and by address.
   *
   * `POST /password/forgot`
   */
  forgotPassword(body: T.ForgotPasswordData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/password/forgot", json: body, options });
  }

  /**
   * Replace a forgotten password
   *
   * Replaces a forgotten password by the token of the link that was sent, and ends all sessions
   * of the account; with `endKeys` its keys too.
   *
   * Anyone who has the token may call it. A token works once, within an hour. With an authenticator
   * app `code` is needed too; a refusal because of it leaves the token as it is.
   * Attempts are limited by address.
   *
   * `POST /password/reset`
   */
  resetPassword(body: T.ResetPasswordData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/password/reset", json: body, options });
  }

  /**
   * End mails of one kind
   *
   * Ends the mails of one kind to the account that a mail was sent to, by the link in that mail
   * (RFC 8058). A body, such as a form, is not read.
   *
   * Anyone who has the link may call it. The answer is the same if the mails were ended before, and
   * if the token is none: then nothing changes.
   *
   * `POST /unsubscribe`
   */
  unsubscribe(query: T.UnsubscribeData["query"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/unsubscribe", query, options });
  }

  /**
   * Write to the author of an ad
   *
   * Sends a message to the author of an ad, and returns it. It begins the conversation between
   * the caller and the author about this ad, or goes on with it.
   *
   * Every account that sees the ad may, except its author; some sites require a confirmed mail
   * address. An account begins few conversations within 24 hours while it is young, and more later;
   * all young accounts together begin few with one author. Messages are limited by account, and
   * count towards what its texts may use.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /ads/{id}/messages`
   */
  writeAboutAd(
    id: T.WriteAboutAdData["path"]["id"],
    body: T.WriteAboutAdData["body"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.WriteAboutAdResponses[201]> {
    return this.call({
      method: "POST",
      path: `/ads/${segment(id)}/messages`,
      auth: true,
      keyed: true,
      answer: "json",
      json: body,
      options,
    });
  }

  /**
   * Read the phone number of an ad's author
   *
   * Returns the phone number of an ad's author, and writes down who has read it.
   *
   * Every account that sees the ad may, except its author; some sites require a confirmed mail
   * address. Without a number, it is 404. Counts as a read of the ad, whose contact it is part of,
   * and towards the account's limit on changes.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /ads/{id}/phone`
   */
  readPhone(id: T.ReadPhoneData["path"]["id"], options: CallOptions = {}): Promise<T.ReadPhoneResponses[200]> {
    return this.call({ method: "POST", path: `/ads/${segment(id)}/phone`, auth: true, answer: "json", options });
  }

  /**
   * Accept an offer
   *
   * Accepts the other party's open offer, and reserves the ad, which must be active. Returns the offer. If it is not open, or the caller may not, it is refused with 409. Counts towards the account's limit on messages.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /offers/{id}/accept`
   */
  acceptOffer(
    id: T.AcceptOfferData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.AcceptOfferResponses[200]> {
    return this.call({
      method: "POST",
      path: `/offers/${segment(id)}/accept`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Decline an offer
   *
   * Declines the other party's open offer. Returns the offer. If it is not open, or the caller may not, it is refused with 409. Counts towards the account's limit on messages.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /offers/{id}/decline`
   */
  declineOffer(
    id: T.DeclineOfferData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.DeclineOfferResponses[200]> {
    return this.call({
      method: "POST",
      path: `/offers/${segment(id)}/decline`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Withdraw an offer
   *
   * Takes the caller's own open offer back. Returns the offer. If it is not open, or the caller may not, it is refused with 409. Counts towards the account's limit on messages.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /offers/{id}/withdraw`
   */
  withdrawOffer(
    id: T.WithdrawOfferData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.WithdrawOfferResponses[200]> {
    return this.call({
      method: "POST",
      path: `/offers/${segment(id)}/withdraw`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Mark a deal as done
   *
   * Sells the ad to the buyer for the price of an accepted offer, and returns the offer. Both can
   * then rate each other.
   *
   * The seller may; the ad must be active or reserved (409). Counts towards the account's limit on
   * messages.
   *
   * A key needs the scope `messages:write`.
   *
   * `POST /offers/{id}/done`
   */
  finishOffer(
    id: T.FinishOfferData["path"]["id"],
    options: CallOptions & IdempotencyKeyOption = {},
  ): Promise<T.FinishOfferResponses[200]> {
    return this.call({
      method: "POST",
      path: `/offers/${segment(id)}/done`,
      auth: true,
      keyed: true,
      answer: "json",
      options,
    });
  }

  /**
   * Find places by name or postcode
   *
   * Returns towns, villages and areas with postcodes whose names begin with what was typed, the
   * largest and nearest first. If there is none, one letter may be wrong, and two from six on.
   *
   * Anyone may call it, with each key that is pressed; it is limited by address, together with
   * suggestions. The data is GeoNames', under CC BY 4.0.
   *
   * `GET /places`
   */
  findPlaces(
    query: T.FindPlacesData["query"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.FindPlacesResponses[200]> {
    return this.call({ method: "GET", path: "/places", answer: "json", query, options });
  }

  /**
   * Get the place nearest to a point
   *
   * Returns the town or village whose centre is nearest, within 100 kilometres.
   *
   * Anyone may call it; it counts as a search of places towards the limit by address.
   *
   * `GET /places/nearest`
   */
  nearestPlace(
    query: T.NearestPlaceData["query"],
    options: CallOptions & IfNoneMatchOption = {},
  ): Promise<T.NearestPlaceResponses[200]> {
    return this.call({ method: "GET", path: "/places/nearest", answer: "json", query, options });
  }

  /**
   * Get the site's name, currency, languages and limits
   *
   * Returns what a client needs before it shows a price or a form.
   *
   * Anyone may call it.
   *
   * `GET /site`
   */
  getSite(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetSiteResponses[200]> {
    return this.call({ method: "GET", path: "/site", answer: "json", options });
  }

  /**
   * Check whether the process runs
   *
   * Answers 200 as long as the process does, whatever the state of the database.
   *
   * It is meant for supervisors: restart a process that does not answer.
   *
   * `GET /livez`
   */
  isAlive(options: CallOptions = {}): Promise<T.IsAliveResponses[200]> {
    return this.call({ method: "GET", path: "/livez", answer: "json", options });
  }

  /**
   * Check whether the process can serve
   *
   * Answers 200 if a database answers and its schema fits this version, and says what is
   * degraded.
   *
   * Otherwise it answers 503, also if a part that `require` names does not work. It is meant for
   * load balancers: send no requests to a process that does not answer 200.
   *
   * `GET /readyz`
   */
  isReady(
    query: NonNullable<T.IsReadyData["query"]> = {},
    options: CallOptions = {},
  ): Promise<T.IsReadyResponses[200]> {
    return this.call({ method: "GET", path: "/readyz", answer: "json", query, options });
  }
}
