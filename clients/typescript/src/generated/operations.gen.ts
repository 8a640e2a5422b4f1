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
import type { Upload } from "../transport/uploads.js";
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
   * Deletes the caller's account with its ads, pictures, comments and sessions, at once and
   * permanently.
   *
   * The current password confirms it. A wrong one is refused with 403 and counts as an attempt to
   * log in.
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
   * The current password is needed, and to replace an app that is set up, its `code` too. A wrong
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
   * The current password and a code are needed. A wrong one counts as an attempt to log in. The
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
    properties: T.CreateAdData["body"]["properties"],
    files: Upload | readonly Upload[],
    options: CallOptions & IdempotencyKeyOption & ProgressOption & ValidateOption,
  ): Promise<void>;
  createAd(
    properties: T.CreateAdData["body"]["properties"],
    files: Upload | readonly Upload[],
    options?: CallOptions & IdempotencyKeyOption & ProgressOption,
  ): Promise<T.CreateAdResponses[201]>;
  createAd(
    properties: T.CreateAdData["body"]["properties"],
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
   * get the ad whatever its status; the author gets the exact location.
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
   * Deletes an ad with its pictures and comments, at once and permanently.
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
   * List ads that are like an ad
   *
   * Returns ads with the same words in their titles, of the same category, at about the same
   * price and near each other; the most similar first.
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
   * Change an account's role
   *
   * Changes the role of an account, from its next request on, and returns the account.
   *
   * Administrators may, but not for themselves, so one is always left. Their own password confirms
   * it. A wrong one is refused with 403 and counts as an attempt to log in. Counts towards the
   * account's limit on changes.
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
   * Unknown parameters are left out; with `Prefer: handling=strict` both are refused. An account may
   * have 50. Counts towards its limit on changes.
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
   * List the webhooks
   *
   * Returns all webhooks of the site, whoever created them.
   *
   * Administrators may.
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
   * Administrators may. There may be 20 webhooks. Counts towards the account's limit on changes.
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
   * Administrators may.
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
   * Deletes a webhook with its deliveries.
   *
   * Administrators may. Counts towards the account's limit on changes.
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
   * on. Administrators may. Counts towards the account's limit on changes.
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
   * rotations within 24 hours the first secret signs no more. Administrators may. Counts towards
   * the account's limit on changes.
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
   * Queues an event of the type `webhook.test` with the id 0. `GET /webhooks/{id}/deliveries`
   * has what becomes of it.
   *
   * Administrators may. Counts towards the account's limit on changes.
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
   * Administrators may.
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
   * anew, also if it was delivered.
   *
   * Administrators may. Counts towards the account's limit on changes.
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
   * Get what waits and what grows
   *
   * Returns figures of the site: what is new, and what waits for somebody. Cases about what the
   * caller wrote do not count: another person decides them.
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
   * its password is void, and its address gets the link that replaces it. Keys, passkeys and an
   * authenticator app that the session of that login or a later one has added are removed; with
   * `endKeys` all keys are.
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
