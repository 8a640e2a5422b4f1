import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AdsvcClient,
  type Attempt,
  memoryTokens,
  NetworkError,
  NotFoundError,
  OverloadedError,
  PreconditionFailedError,
  RateLimitedError,
  TimeoutError,
} from "../../src/index.js";
import { json, lost, problem, scripted } from "../support/scripted.js";

const USER = { id: 7 };
const NEW_USER = { username: "anna@example.com", password: "correct horse battery" };
const retry = { maxWaitSeconds: 5 };

test("a read is repeated after a lost answer", async () => {
  const { url, seen } = await scripted(lost, json(200, USER));
  assert.deepEqual(await new AdsvcClient({ baseUrl: url }).getMe(), USER);
  assert.equal(seen.length, 2);
});

test("all attempts of a registration have one key, and those of another call have another", async () => {
  const { url, seen } = await scripted(lost, problem(503, "unavailable", { "retry-after": "0" }), json(201, USER));
  const client = new AdsvcClient({ baseUrl: url, retry });
  await client.register(NEW_USER);
  await client.register(NEW_USER);
  const keys = seen.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(new Set(keys.slice(0, 3)).size, 1);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.notEqual(keys[3], keys[0]);
});

test("each attempt is reported, and nothing secret with it", async () => {
  const { url } = await scripted(
    lost,
    problem(503, "unavailable", { "retry-after": "0", "x-request-id": "r2" }),
    json(201, USER),
  );
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt): unknown => attempts.push(attempt);
  await new AdsvcClient({ baseUrl: url, retry, onAttempt }).register(NEW_USER);
  assert.deepEqual(
    attempts.map(({ method, path, number, status, requestId }) => [method, path, number, status, requestId]),
    [
      ["POST", "/register", 1, undefined, undefined],
      ["POST", "/register", 2, 503, "r2"],
      ["POST", "/register", 3, 201, undefined],
    ],
  );
  assert.ok(attempts[0]?.error instanceof NetworkError);
  assert.ok(attempts.every(({ milliseconds }) => milliseconds >= 0));
  assert.ok(!JSON.stringify(attempts).includes(NEW_USER.password));
});

test("a key of the caller's own is sent as it is", async () => {
  const { url, seen } = await scripted(json(201, USER));
  await new AdsvcClient({ baseUrl: url }).register(NEW_USER, { idempotencyKey: "mine" });
  assert.equal(seen[0]?.headers["idempotency-key"], "mine");
});

test("the first request with the key is waited for", async () => {
  const running = problem(409, "idempotency-in-progress", { "retry-after": "0" });
  const { url, seen } = await scripted(running, running, json(201, USER));
  await new AdsvcClient({ baseUrl: url }).register(NEW_USER);
  assert.equal(seen.length, 3);
});

test("what has no key is not repeated when its answer is lost", async () => {
  const now = { "retry-after": "0" };
  const belowPrefix = { type: "/api/problems#unavailable" };
  const outcomes = [lost, problem(504, "x"), problem(503, "unavailable", now), problem(503, "", now, belowPrefix)];
  for (const answer of outcomes) {
    const { url, seen } = await scripted(answer);
    await assert.rejects(new AdsvcClient({ baseUrl: url }).login(NEW_USER));
    assert.equal(seen.length, 1);
  }
});

test("what takes away its own credentials is not repeated when its answer is lost", async () => {
  const session = { accessToken: "a", refreshToken: "r", renewAt: Number.MAX_SAFE_INTEGER };
  const passwords = { currentPassword: "one", newPassword: "another" };
  for (const call of [
    (client: AdsvcClient) => client.changePassword(passwords),
    (client: AdsvcClient) => client.deleteMe({ currentPassword: "one" }),
  ]) {
    const { url, seen } = await scripted(lost);
    await assert.rejects(call(new AdsvcClient({ baseUrl: url, tokens: memoryTokens(session) })));
    assert.equal(seen.length, 1);
  }
});

test("a proxy that does not know what became of a request has lost its answer", async () => {
  for (const status of [502, 504]) {
    const { url, seen } = await scripted((response) => response.writeHead(status).end(), json(201, USER));
    await new AdsvcClient({ baseUrl: url }).register(NEW_USER);
    assert.equal(seen.length, 2);
  }
});

test("what was refused without being done is repeated", async () => {
  const { url, seen } = await scripted(
    problem(503, "overloaded", { "retry-after": "0" }),
    problem(429, "rate-limited", { "retry-after": "0" }),
    problem(401, "wrong-credentials"),
  );
  await assert.rejects(new AdsvcClient({ baseUrl: url }).login(NEW_USER), { status: 401 });
  assert.equal(seen.length, 3);
});

test("a wait that would be too long ends the call at once", async () => {
  const { url, seen } = await scripted(problem(429, "rate-limited", { "retry-after": "300" }));
  const error = await new AdsvcClient({ baseUrl: url }).listAds().catch((error: unknown) => error);
  assert.ok(error instanceof RateLimitedError);
  assert.equal(error.retryAfter, 300);
  assert.equal(seen.length, 1);
});

test("attempts have a bound, and there may be none but the first", async () => {
  const { url, seen } = await scripted(problem(503, "overloaded", { "retry-after": "0" }));
  await assert.rejects(new AdsvcClient({ baseUrl: url, retry: { attempts: 3 } }).listAds(), OverloadedError);
  assert.equal(seen.length, 3);
  await assert.rejects(new AdsvcClient({ baseUrl: url, retry: false }).listAds(), OverloadedError);
  assert.equal(seen.length, 4);
  await assert.rejects(new AdsvcClient({ baseUrl: url }).listAds({}, { retry: false }), OverloadedError);
  assert.equal(seen.length, 5);
});

test("nobody at the address is a NetworkError with its cause", async () => {
  const error = await new AdsvcClient({ baseUrl: "http://127.0.0.1:1", retry: false })
    .listAds()
    .catch((e: unknown) => e);
  assert.ok(error instanceof NetworkError);
  assert.ok(error.cause instanceof Error);
});

test("an answer that breaks off is lost too", async () => {
  const { url, seen } = await scripted(
    (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write("{", () => response.destroy());
    },
    json(200, USER),
  );
  assert.deepEqual(await new AdsvcClient({ baseUrl: url }).getMe(), USER);
  assert.equal(seen.length, 2);
});

test("an answer that does not come in time is lost", async () => {
  const { url } = await scripted(() => undefined);
  await assert.rejects(new AdsvcClient({ baseUrl: url, timeoutSeconds: 0.05, retry: false }).listAds(), TimeoutError);
});

test("a deletion whose answer was lost may find nothing any more", async () => {
  const { url } = await scripted(lost, problem(404, "ad-not-found"));
  await new AdsvcClient({ baseUrl: url }).deleteAd(1);
  const gone = await scripted(problem(404, "ad-not-found"));
  await assert.rejects(new AdsvcClient({ baseUrl: gone.url }).deleteAd(1), NotFoundError);
});

test("a failed precondition tells whether the change may have been this call's own", async () => {
  const changed = problem(412, "precondition-failed", { etag: '"2"' });
  const { url } = await scripted(lost, changed, changed);
  const client = new AdsvcClient({ baseUrl: url });
  const errors = [];
  for (let time = 0; time < 2; time += 1) {
    errors.push(await client.updateAd(1, { price: 1 }, { ifMatch: '"1"' }).catch((error: unknown) => error));
  }
  assert.ok(errors.every((error) => error instanceof PreconditionFailedError));
  assert.deepEqual(
    errors.map((error) => error.afterLostAnswer),
    [true, false],
  );
});

test("who aborts while a call waits gets the reason at once", { timeout: 10_000 }, async () => {
  const { url, seen } = await scripted(problem(503, "overloaded", { "retry-after": "20" }));
  const controller = new AbortController();
  const call = new AdsvcClient({ baseUrl: url }).listAds({}, { signal: controller.signal });
  setTimeout(() => {
    controller.abort(new Error("left"));
  }, 50);
  await assert.rejects(call, /left/);
  assert.equal(seen.length, 1);
});
