import assert from "node:assert/strict";
import { test } from "node:test";
import { AdsvcClient, memoryTokens, UnauthorizedError, type SessionEvent } from "../../src/index.js";
import { json, lost, problem, scripted, tokens, type Answer } from "../support/scripted.js";

const USER = { id: 7 };
const LOGIN = { username: "anna@example.com", password: "correct horse battery" };
const EXPIRED = { accessToken: "access-old", refreshToken: "refresh-old", renewAt: 0 };
const UNNOTICED = { ...EXPIRED, renewAt: Number.MAX_SAFE_INTEGER };

/** Takes only the token `access-new`, and gives it once for `refresh-old`. */
function service(refreshed: Answer = tokens("new")): Answer {
  return (response, seen) =>
    (seen.path === "/token"
      ? refreshed
      : seen.headers.authorization === "Bearer access-new"
        ? json(200, USER)
        : problem(401, "invalid-credentials"))(response, seen);
}

const refreshes = (seen: { path: string }[]): number => seen.filter(({ path }) => path === "/token").length;

test("a login is remembered and sent with what needs it, not with what is public", async () => {
  const { url, seen } = await scripted(tokens("1"), json(200, USER), json(200, { results: [] }));
  const client = new AdsvcClient({ baseUrl: url });
  await client.login(LOGIN);
  await client.getMe();
  await client.listAds();
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    [undefined, "Bearer access-1", undefined],
  );
});

test("a key is sent instead of a session, and is not renewed", async () => {
  const { url, seen } = await scripted(
    json(200, USER),
    json(200, { results: [] }),
    problem(401, "invalid-credentials"),
  );
  const client = new AdsvcClient({ baseUrl: url, key: "adsvc_1", tokens: memoryTokens(EXPIRED) });
  await client.getMe();
  await client.listAds();
  await assert.rejects(client.getMe(), { status: 401 });
  assert.deepEqual(
    seen.map(({ path, headers }) => [path, headers.authorization]),
    [
      ["/users/me", "Bearer adsvc_1"],
      ["/ads", undefined],
      ["/users/me", "Bearer adsvc_1"],
    ],
  );
});

test("of many calls with an expired token one refreshes", async () => {
  for (const old of [EXPIRED, UNNOTICED]) {
    const { url, seen } = await scripted(service());
    const client = new AdsvcClient({ baseUrl: url, tokens: memoryTokens(old) });
    const users = await Promise.all(Array.from({ length: 20 }, () => client.getMe()));
    assert.equal(users.length, 20);
    assert.equal(refreshes(seen), 1);
    assert.equal((await client.tokens())?.refreshToken, "refresh-new");
  }
});

test("a session that the service does not know any more has ended", async () => {
  const { url } = await scripted(service(json(400, { error: "invalid_grant", error_description: "Over." })));
  const client = new AdsvcClient({ baseUrl: url, tokens: memoryTokens(UNNOTICED) });
  const events: SessionEvent[] = [];
  client.onSession((event) => events.push(event));
  await assert.rejects(client.getMe(), UnauthorizedError);
  assert.deepEqual(events, [{ type: "ended", remote: false }]);
  assert.equal(await client.tokens(), null);
});

test("a refresh that cannot be done now does not end the session", async () => {
  const { url } = await scripted(service(problem(503, "unavailable", { "retry-after": "60" })));
  const client = new AdsvcClient({ baseUrl: url, tokens: memoryTokens(EXPIRED) });
  await assert.rejects(client.getMe(), { status: 503 });
  assert.equal((await client.tokens())?.refreshToken, "refresh-old");
});

test("a refresh whose request was lost is sent again", async () => {
  let first = true;
  const { url, seen } = await scripted((response, one) => {
    const answer = one.path === "/token" && first ? lost : service();
    first = first && one.path !== "/token";
    return answer(response, one);
  });
  await new AdsvcClient({ baseUrl: url, tokens: memoryTokens(EXPIRED) }).getMe();
  assert.equal(refreshes(seen), 2);
});

test("a new token that is refused too ends the call, not in a loop", async () => {
  const { url, seen } = await scripted((response, one) =>
    (one.path === "/token" ? tokens("other") : problem(401, "invalid-credentials"))(response, one),
  );
  const client = new AdsvcClient({ baseUrl: url, tokens: memoryTokens(UNNOTICED) });
  await assert.rejects(client.getMe(), UnauthorizedError);
  assert.equal(seen.length, 3);
});

test("a logout during a refresh stays one, and what the refresh brought is given back", async () => {
  const client: { current?: AdsvcClient } = {};
  const { url, seen } = await scripted(async (response, one) => {
    if (one.path === "/token") {
      await client.current?.logout();
    }
    await (one.path === "/revoke" ? json(200, {}) : service())(response, one);
  });
  client.current = new AdsvcClient({ baseUrl: url, tokens: memoryTokens(EXPIRED) });
  await assert.rejects(client.current.getMe(), UnauthorizedError);
  assert.equal(await client.current.tokens(), null);
  assert.deepEqual(
    seen.filter(({ path }) => path === "/revoke").map(({ body }) => body),
    ["token=refresh-old", "token=refresh-new"],
  );
});

test("a caller who leaves does not take the refresh from the others", async () => {
  const release: { now?: () => void } = {};
  const asked = new Promise<void>((resolve) => (release.now = resolve));
  const { url, seen } = await scripted(async (response, one) => {
    if (one.path === "/token") {
      await asked;
    }
    await service()(response, one);
  });
  const client = new AdsvcClient({ baseUrl: url, tokens: memoryTokens(EXPIRED) });
  const controller = new AbortController();
  const leaving = client.getMe({ signal: controller.signal });
  const staying = client.getMe();
  controller.abort(new Error("left"));
  await assert.rejects(leaving, /left/);
  release.now?.();
  assert.deepEqual(await staying, USER);
  assert.equal(refreshes(seen), 1);
});

test("a code completes a login", async () => {
  const { url } = await scripted(tokens("2"));
  const client = new AdsvcClient({ baseUrl: url });
  await client.completeLogin({ challenge: "a", code: "492039" });
  assert.equal((await client.tokens())?.accessToken, "access-2");
});

test("a new password brings new tokens, the end of the account takes them", async () => {
  const { url } = await scripted(tokens("2"), (response) => response.writeHead(204).end());
  const client = new AdsvcClient({ baseUrl: url, tokens: memoryTokens(UNNOTICED) });
  await client.changePassword({ currentPassword: "a", newPassword: "b" });
  assert.equal((await client.tokens())?.accessToken, "access-2");
  await client.deleteMe({ currentPassword: "b" });
  assert.equal(await client.tokens(), null);
});
