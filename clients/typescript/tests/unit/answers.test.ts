import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AdNotFoundError,
  AdsvcClient,
  AdsvcError,
  BadRequestError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  NotModifiedError,
  ProblemError,
  responseOf,
  TokenRequestError,
} from "../../src/index.js";
import { json, problem, scripted, type Answer } from "../support/scripted.js";

async function refused(answer: Answer): Promise<unknown> {
  const { url } = await scripted(answer);
  return new AdsvcClient({ baseUrl: url, retry: false }).listAds().catch((error: unknown) => error);
}

test("a problem has the class of its type, below that of its status", async () => {
  const error = await refused(problem(404, "ad-not-found", { "x-request-id": "r1" }));
  assert.ok(error instanceof AdNotFoundError);
  assert.ok(error instanceof NotFoundError);
  assert.ok(error instanceof ProblemError);
  assert.equal(error.name, "AdNotFoundError");
  assert.equal(error.status, 404);
  assert.equal(error.type, "/problems#ad-not-found");
  assert.equal(error.message, "A detail.");
  assert.equal(error.response.requestId, "r1");
});

test("a path prefix makes no difference to a problem's type", async () => {
  for (const type of ["/api/problems#ad-not-found", "https://example.org/api/problems#ad-not-found"]) {
    const error = await refused(problem(404, "", {}, { type }));
    assert.ok(error instanceof AdNotFoundError, type);
    assert.equal(error.type, "/problems#ad-not-found");
    assert.equal(error.problem.type, type);
  }
  const other = await refused(problem(404, "", {}, { type: "https://example.org/errors#ad-not-found" }));
  assert.ok(other instanceof NotFoundError);
  assert.equal(other.name, "NotFoundError");
});

test("faults are told with their places", async () => {
  const errors = [{ pointer: "/price", detail: "must be a whole number" }];
  const error = await refused(problem(400, "invalid-request", {}, { errors }));
  assert.ok(error instanceof InvalidRequestError);
  assert.deepEqual(error.errors, errors);
  assert.equal(error.message, "A detail.\n  /price: must be a whole number");
});

test("a type that this version does not know has the class of its status", async () => {
  const error = await refused(problem(409, "of-tomorrow"));
  assert.ok(error instanceof ConflictError);
  assert.equal(error.name, "ConflictError");
  const teapot = await refused(problem(418, "of-tomorrow"));
  assert.ok(teapot instanceof ProblemError);
  assert.equal(teapot.name, "ProblemError");
});

test("what a proxy answers is a problem without a type", async () => {
  for (const type of ["text/html", "application/json"]) {
    const error = await refused((response) => response.writeHead(400, { "content-type": type }).end("<html>"));
    assert.ok(error instanceof BadRequestError, type);
    assert.equal(error.type, "about:blank");
  }
});

test("a page instead of data is no data", async () => {
  for (const type of ["text/html", "application/json"]) {
    const error = await refused((response) => response.writeHead(200, { "content-type": type }).end("<html>"));
    assert.ok(error instanceof AdsvcError, type);
    assert.ok(!(error instanceof ProblemError), type);
  }
});

test("refusals of OAuth 2.0 are errors of their own", async () => {
  const { url } = await scripted(json(400, { error: "invalid_grant", error_description: "Wrong." }));
  const call = new AdsvcClient({ baseUrl: url }).issueToken({ grant_type: "password", username: "a", password: "b" });
  const error = await call.catch((error: unknown) => error);
  assert.ok(error instanceof TokenRequestError);
  assert.equal(error.error, "invalid_grant");
});

test("what came along with data can be asked for", async () => {
  const { url, seen } = await scripted(json(200, { pk: 1 }, { etag: '"v1"', link: '<x>; rel="next"' }));
  const client = new AdsvcClient({ baseUrl: url });
  const statuses: number[] = [];
  const ad = await client.getAd(1, { onResponse: ({ status }) => statuses.push(status) });
  assert.equal(responseOf(ad)?.etag, '"v1"');
  assert.equal(responseOf(ad)?.headers.get("link"), '<x>; rel="next"');
  assert.deepEqual(statuses, [200]);
  await client.updateAd(1, { price: 1 }, { ifMatch: ad });
  assert.equal(seen[1]?.headers["if-match"], '"v1"');
});

test("what was read before is returned when it is still the same", async () => {
  const same: Answer = (response) => response.writeHead(304, { etag: '"v1"' }).end();
  const { url, seen } = await scripted(json(200, { pk: 1 }, { etag: '"v1"' }), same, same, json(200, { pk: 2 }));
  const client = new AdsvcClient({ baseUrl: url });
  const ad = await client.getAd(1);
  const statuses: number[] = [];
  const again = await client.getAd(1, { ifNoneMatch: ad, onResponse: ({ status }) => statuses.push(status) });
  assert.equal(again, ad);
  assert.deepEqual(statuses, [304]);
  assert.equal(seen[1]?.headers["if-none-match"], '"v1"');
  await assert.rejects(client.getAd(1, { ifNoneMatch: '"v1"' }), NotModifiedError);
  assert.equal((await client.getAd(1, { ifNoneMatch: ad })).pk, 2);
});

test("a copy of a record is refused rather than written without its tag", async () => {
  const { url, seen } = await scripted(json(200, { pk: 1 }, { etag: '"v1"' }));
  const client = new AdsvcClient({ baseUrl: url });
  const copy = { ...(await client.getAd(1)) };
  await assert.rejects(client.updateAd(1, { price: 1 }, { ifMatch: copy }), TypeError);
  assert.equal(seen.length, 1);
});

test("pages come one after another, and no further than they are used", async () => {
  const page = (pks: number[], next: string | null): Answer => json(200, { results: pks.map((pk) => ({ pk })), next });
  const { url, seen } = await scripted(page([3, 2], "c/1"), page([], "c2"), page([1], null));
  const client = new AdsvcClient({ baseUrl: url });
  const pks = [];
  for await (const { pk } of client.ads({ q: "oak & ash", attr: ["a:b", "c:d"], limit: 2 })) {
    pks.push(pk);
    if (pk === 3) {
      assert.equal(seen.length, 1);
    }
  }
  assert.deepEqual(pks, [3, 2, 1]);
  const query = "q=oak+%26+ash&attr=a%3Ab&attr=c%3Ad&limit=2";
  assert.deepEqual(
    seen.map(({ path }) => path),
    [`/ads?${query}`, `/ads?${query}&cursor=c%2F1`, `/ads?${query}&cursor=c2`],
  );
});

test("what is only to be judged says so, and brings nothing", async () => {
  const { url, seen } = await scripted((response) => response.writeHead(204).end());
  const ben = { username: "ben@example.com", password: "correct horse battery" };
  await new AdsvcClient({ baseUrl: url }).register(ben, { validate: true });
  assert.equal(seen[0]?.path, "/register?validate=true");
});

test("the address comes from the environment, and in browsers from the page", async () => {
  const { url, seen } = await scripted(json(200, {}));
  process.env["ADSVC_BASE_URL"] = `${url}/of-the-environment`;
  try {
    await new AdsvcClient().isAlive();
    await new AdsvcClient({ baseUrl: url }).isAlive();
  } finally {
    process.env["ADSVC_BASE_URL"] = "";
  }
  assert.equal(new AdsvcClient().url("/x"), "http://127.0.0.1:8080/x");
  const page = { href: `${url}/shop/index.html?x#y`, origin: url };
  Object.defineProperty(globalThis, "location", { value: page, configurable: true });
  try {
    await new AdsvcClient().isAlive();
    await new AdsvcClient({ baseUrl: "/api" }).isAlive();
    await new AdsvcClient({ baseUrl: "api/" }).isAlive();
  } finally {
    Reflect.deleteProperty(globalThis, "location");
    delete process.env["ADSVC_BASE_URL"];
  }
  assert.deepEqual(
    seen.map(({ path }) => path),
    ["/of-the-environment/livez", "/livez", "/livez", "/api/livez", "/shop/api/livez"],
  );
  assert.throws(() => new AdsvcClient({ baseUrl: "/api" }), TypeError);
});

test("a value that this version does not know is passed on as it came", async () => {
  const { url } = await scripted(json(200, { id: 1, role: "AUDITOR" }));
  assert.equal((await new AdsvcClient({ baseUrl: url }).getUser(1)).role, "AUDITOR");
});

test("an address may have a path, and segments are escaped", async () => {
  const { url, seen } = await scripted(json(200, {}));
  const client = new AdsvcClient({ baseUrl: `${url}/api/` });
  await client.getCategory("a/b?c");
  assert.equal(seen[0]?.path, "/api/categories/a%2Fb%3Fc");
  assert.equal(client.url("/images/x.jpg"), `${url}/api/images/x.jpg`);
});
