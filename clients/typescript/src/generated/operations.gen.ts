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
   * Begins a session. Attempts are limited by account and address.
   *
   * `POST /login`
   */
  login(body: T.LoginData["body"], options: CallOptions = {}): Promise<T.LoginResponses[200]> {
    return this.call({ method: "POST", path: "/login", answer: "json", json: body, options });
  }

  /**
   * Create an account
   *
   * A new account, always an ordinary one; administrators are made on the command line.
   *
   * A user name that is a mail address becomes that of the account, and gets a link to confirm it.
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
   * OAuth 2.0 token endpoint
   *
   * RFC 6749 §4.3 and §6, refusals in the format of its §5.2; clients are public.
   *
   * A refresh token is good for one use. Using one twice ends its session.
   *
   * `POST /token`
   */
  issueToken(body: T.IssueTokenData["body"], options: CallOptions = {}): Promise<T.IssueTokenResponses[200]> {
    return this.call({ method: "POST", path: "/token", answer: "json", form: body, options });
  }

  /**
   * End a session
   *
   * RFC 7009: unknown tokens are no error; either token of a session ends it.
   *
   * `POST /revoke`
   */
  revokeToken(body: T.RevokeTokenData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/revoke", form: body, options });
  }

  /**
   * The caller's profile
   *
   * With how much room the caller's pictures take.
   *
   * `GET /users/me`
   */
  getMe(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetMeResponses[200]> {
    return this.call({ method: "GET", path: "/users/me", auth: true, answer: "json", options });
  }

  /**
   * Delete the caller's account
   *
   * The account, its ads, pictures, comments and sessions go at once and for good.
   *
   * `DELETE /users/me`
   */
  deleteMe(body: T.DeleteMeData["body"], options: CallOptions & IfMatchOption = {}): Promise<void> {
    return this.call({ method: "DELETE", path: "/users/me", auth: true, json: body, options });
  }

  /**
   * Change the caller's profile
   *
   * Members that are absent stay as they are.
   *
   * Another `mail` needs `currentPassword`. It gets a link, and counts when that was followed; until
   * then a confirmed address stays, and is told.
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
   * The one before is deleted.
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
   * Everything held about the caller
   *
   * Without passwords and their hashes. One at a time, and some in an hour.
   *
   * `GET /users/me/export`
   */
  exportMe(options: CallOptions = {}): Promise<T.ExportMeResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/export", auth: true, answer: "json", options });
  }

  /**
   * Change the caller's password
   *
   * Every session of the user ends; the answer's tokens begin the only one left.
   *
   * Deprecated: `changePassword` does the same.
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
   * Every session of the user ends; the answer's tokens begin the only one left.
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
   * Where the caller is logged in
   *
   * Last used first.
   *
   * `GET /users/me/sessions`
   */
  listMySessions(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListMySessionsResponses[200]> {
    return this.call({ method: "GET", path: "/users/me/sessions", auth: true, answer: "json", options });
  }

  /**
   * Log out there
   *
   * Its tokens stop working at once.
   *
   * `DELETE /users/me/sessions/{id}`
   */
  endMySession(id: T.EndMySessionData["path"]["id"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/users/me/sessions/${segment(id)}`, auth: true, options });
  }

  /**
   * Ads, all or those that match
   *
   * Page by page: walking them meets every ad that stays as it is exactly once.
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
   * Pictures are turned upright, stripped of all metadata and made fit for the web.
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
   * How many ads there are, by what can be filtered next
   *
   * For a filter panel. Of very many ads the newest are counted.
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
   * The caller's ads, newest first
   *
   * Whatever their status.
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
   * One ad with its author's contact details
   *
   * Different ads of others are counted, because each tells somebody's contact.
   *
   * Its author gets it whatever its status, and with its exact location.
   *
   * `GET /ads/{id}`
   */
  getAd(id: T.GetAdData["path"]["id"], options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetAdResponses[200]> {
    return this.call({ method: "GET", path: `/ads/${segment(id)}`, auth: true, answer: "json", options });
  }

  /**
   * Delete an ad and its pictures
   *
   * Its comments go with it, all of it at once and for good.
   *
   * `DELETE /ads/{id}`
   */
  deleteAd(id: T.DeleteAdData["path"]["id"], options: CallOptions & IfMatchOption = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/ads/${segment(id)}`, auth: true, options });
  }

  /**
   * Change an ad
   *
   * Members that are absent stay as they are.
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
   * One ad without its author's contact details
   *
   * For a page that everybody may see. It is not counted.
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
   * Show an ad to everybody
   *
   * A draft, or an ad that was withdrawn or has expired, becomes active.
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
   * It is still shown, and says that somebody is to have it.
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
   * End an ad's reservation
   *
   * A reserved ad becomes active again.
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
   * Say that the thing is sold
   *
   * The last step: a sold ad is shown to its author only. The price may be told.
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
   * Take an ad back
   *
   * It is shown to its author only, until it is published again.
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
   * Show an ad for longer
   *
   * An active or expired ad is shown for the full time anew.
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
   * Answers the bytes of the picture as it is stored from now on.
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
   * Behind those it has, all or none of them. Answers all pictures of the ad.
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
   * Put an ad's pictures into another order
   *
   * The first one is what lists of ads show.
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
   * Delete one of an ad's pictures
   *
   * An ad keeps at least one.
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
   * The tree of categories
   *
   * Flat, parents before children, in the order of display; each with its attributes.
   *
   * `GET /categories`
   */
  listCategories(options: CallOptions & IfNoneMatchOption = {}): Promise<T.ListCategoriesResponses[200]> {
    return this.call({ method: "GET", path: "/categories", answer: "json", options });
  }

  /**
   * One category
   *
   * With its own attributes and those of its ancestors.
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
   * Add a category, or change one
   *
   * What is left out is as if there had never been anything. Ads that are there stay valid.
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
   * Delete a category without ads and children
   *
   * Those of the category must have been given another one, or another parent.
   *
   * `DELETE /categories/{slug}`
   */
  deleteCategory(slug: T.DeleteCategoryData["path"]["slug"], options: CallOptions & IfMatchOption = {}): Promise<void> {
    return this.call({ method: "DELETE", path: `/categories/${segment(slug)}`, auth: true, options });
  }

  /**
   * What the attributes of an ad there must be
   *
   * JSON Schema 2020-12 of the member `attributes` of an ad, for forms and for validation.
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
   * An ad's comments, newest first
   *
   * Page by page, for whoever may see the ad.
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
   * Everybody who sees the ad sees it.
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
   * One comment
   *
   * It has to belong to the ad of the path.
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
   * For its author or an administrator.
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
   * For its author or an administrator.
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
   * A picture
   *
   * Needs no credentials, because `<img>` sends none. Answers single byte ranges.
   *
   * On a site that keeps its pictures elsewhere, it leads there.
   *
   * `GET /images/{name}`
   */
  getImage(name: T.GetImageData["path"]["name"], options: CallOptions & IfNoneMatchOption = {}): Promise<Blob> {
    return this.call({ method: "GET", path: `/images/${segment(name)}`, answer: "blob", options });
  }

  /**
   * Report an ad
   *
   * An account reports an ad once; a second report is answered with the first.
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
   * As an ad, for whoever sees it.
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
   * What was reported, the most reported first
   *
   * One case for each thing that was reported; of equals the oldest comes first.
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
   * All that is known about a case
   *
   * Its reports, the thing as it was reported and as it is, and the history of its author.
   *
   * Nobody gets one about their own things, as it tells who has reported them.
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
   * Whoever is concerned is told, with the reasons, and may appeal against it.
   *
   * With `If-Match` it is about what was read of the case, or refused: the thing may have been
   * changed meanwhile.
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
   * Undo what somebody else has decided
   *
   * The thing is what it was before; a case that was dismissed is open again.
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
   * What was decided about the caller, and why
   *
   * The newest first. Who decided is not told.
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
   * Once, within 180 days; somebody else than before decides about it.
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
   * Accounts, the newest first, or by the beginning of their names
   *
   * With `q` they come by user name, and without it the newest first.
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
   * One account
   *
   * With the decisions that concern it.
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
   * Suspend an account
   *
   * Its sessions end, its ads are hidden, and nobody logs in to it until that ends.
   *
   * An administrator who sends the same statement again, which would move the end of the suspension
   * by less than an hour, makes no second decision, and no second mail is sent.
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
   * End an account's suspension
   *
   * Its ads are shown again. Nothing happens to an account that is not suspended.
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
   * Send the link that confirms a mail address once more
   *
   * To the address that is not confirmed so far; if there is none, nothing is sent.
   *
   * `POST /users/me/mail/verification`
   */
  requestMailVerification(options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/users/me/mail/verification", auth: true, options });
  }

  /**
   * Confirm a mail address
   *
   * By the token of the link, once and within a day. No credentials are needed.
   *
   * `POST /mail/verify`
   */
  verifyMail(body: T.VerifyMailData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/mail/verify", json: body, options });
  }

  /**
   * Ask for a link to replace a forgotten password
   *
   * The answer is the same whether or not there is such an account.
   *
   * The link goes to the account's confirmed mail address. One that was never confirmed gets the
   * link that confirms it.
   *
   * `POST /password/forgot`
   */
  forgotPassword(body: T.ForgotPasswordData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/password/forgot", json: body, options });
  }

  /**
   * Replace a forgotten password
   *
   * By the token of the link, once and within an hour. All sessions of the account end.
   *
   * `POST /password/reset`
   */
  resetPassword(body: T.ResetPasswordData["body"], options: CallOptions = {}): Promise<void> {
    return this.call({ method: "POST", path: "/password/reset", json: body, options });
  }

  /**
   * The site's name, its currency, its languages and the limits in force
   *
   * What a client needs before it shows a price or a form.
   *
   * `GET /site`
   */
  getSite(options: CallOptions & IfNoneMatchOption = {}): Promise<T.GetSiteResponses[200]> {
    return this.call({ method: "GET", path: "/site", answer: "json", options });
  }

  /**
   * Whether the process runs
   *
   * Asks nobody else; a process that does not answer is to be restarted.
   *
   * `GET /livez`
   */
  isAlive(options: CallOptions = {}): Promise<T.IsAliveResponses[200]> {
    return this.call({ method: "GET", path: "/livez", answer: "json", options });
  }

  /**
   * Whether reads can be served
   *
   * A database answers, and this version works on its schema.
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
