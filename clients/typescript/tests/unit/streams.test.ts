import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { AdsvcClient, memoryTokens, NetworkError } from "../../src/index.js";
import { lost, problem, scripted, tokens, type Answer } from "../support/scripted.js";

/** Two events behind the cursor in the query, and then the connection is cut within a third. */
const cut: Answer = (response, { path }) => {
  const after = Number(/after=c(\d+)/.exec(path)?.[1] ?? 0);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const block = (id: number): string =>
    `id: c${String(id)}\nevent: ad.sold\ndata: {"id":${String(id)},"text":"a: b"}\n\n`;
  const text = `: \n\n${block(after + 1)}${block(after + 2)}id: c99`;
  // In pieces that end anywhere.
  for (let at = 0; at < text.length; at += 7) {
    response.write(text.slice(at, at + 7));
  }
  setTimeout(() => response.destroy(), 20);
};

async function first(count: number, client: AdsvcClient): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for await (const { cursor, type, data } of client.events({ type: ["ad.sold"] })) {
    assert.equal(type, "ad.sold");
    found.push([cursor, data.id]);
    if (found.length === count) {
      break;
    }
  }
  return found;
}

const EXPECTED = [1, 2, 3, 4].map((id) => [`c${String(id)}`, id]);

test("events go on behind the last one, whatever ends the connection", async () => {
  const { url, seen } = await scripted(cut, lost, problem(503, "overloaded"), cut);
  const client = new AdsvcClient({ baseUrl: url, key: "adsvc_1" });
  assert.deepEqual(await first(4, client), EXPECTED);
  assert.deepEqual(
    seen.map(({ path }) => path),
    ["", "&after=c2", "&after=c2", "&after=c2"].map((after) => `/events/stream?type=ad.sold${after}`),
  );
});

test("a stream that ended with its token goes on with a new one", async () => {
  const { url, seen } = await scripted(cut, problem(401, "invalid-credentials"), tokens("new"), cut);
  const kept = memoryTokens({
    accessToken: "access-old",
    refreshToken: "refresh-old",
    renewAt: Number.MAX_SAFE_INTEGER,
  });
  const client = new AdsvcClient({ baseUrl: url, tokens: kept });
  assert.deepEqual(await first(4, client), EXPECTED);
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    ["Bearer access-old", "Bearer access-old", undefined, "Bearer access-new"],
  );
});

// As long as a deployment takes, and in the long form a minute: the attempts of a call would be over after 3 s.
const OUTAGE_SECONDS = process.env["OUTAGE"] === "long" ? 60 : 6;

test(`events go on after the service was away for ${String(OUTAGE_SECONDS)} s`, async () => {
  const server = createServer((request, response) => {
    cut(response, { path: request.url ?? "", method: "GET", headers: {}, body: "" });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const attempts: (number | undefined)[] = [];
  const client = new AdsvcClient({
    baseUrl: `http://127.0.0.1:${String(port)}`,
    key: "adsvc_1",
    onAttempt: ({ status }) => attempts.push(status),
  });
  const events = client.events({ type: ["ad.sold"] });
  const found = [(await events.next()).value?.cursor, (await events.next()).value?.cursor];
  server.closeAllConnections();
  server.close();
  const next = events.next();
  await wait(OUTAGE_SECONDS * 1000);
  server.listen(port, "127.0.0.1");
  found.push((await next).value?.cursor);
  await events.return();
  server.closeAllConnections();
  server.close();
  assert.deepEqual(found, ["c1", "c2", "c3"]);
  const failed = attempts.filter((status) => status === undefined).length;
  assert.ok(failed >= 4 && failed < 20, `${String(failed)} attempts`);
});

test("a stream waits for room as long as the service says, and ends with a refusal that stays", async () => {
  for (const status of [401, 403, 410, 400]) {
    const busy = problem(429, "too-many-streams", { "retry-after": "1" });
    const { url, seen } = await scripted(busy, problem(502, "none"), problem(503, "overloaded"), problem(status, "no"));
    const client = new AdsvcClient({ baseUrl: url, key: "adsvc_1", retry: false });
    const began = performance.now();
    await assert.rejects(client.myEvents().next(), { status });
    assert.equal(seen.length, 4);
    assert.ok(performance.now() - began >= 1000);
  }
});

test("a stream that is not to reconnect ends with the error of its connection", async () => {
  const { url } = await scripted(cut, lost);
  const client = new AdsvcClient({ baseUrl: url, key: "adsvc_1", retry: false });
  const events = client.events({}, { reconnect: false });
  await events.next();
  await events.next();
  await assert.rejects(events.next(), NetworkError);
});

test("a cursor that has expired, and the caller's signal, end it", async () => {
  const { url } = await scripted(problem(410, "cursor-expired"), (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": \n\n");
  });
  const client = new AdsvcClient({ baseUrl: url, key: "adsvc_1" });
  await assert.rejects(client.events({ after: "c0" }).next(), { status: 410 });
  const controller = new AbortController();
  const next = client.myEvents({}, { signal: controller.signal }).next();
  setTimeout(() => {
    controller.abort(new Error("left"));
  }, 50);
  await assert.rejects(next, /left/);
});

test("a signal among the parameters ends a stream", async () => {
  const { url, seen } = await scripted(cut, cut);
  const client = new AdsvcClient({ baseUrl: url, key: "adsvc_1" });
  const ending = new AbortController();
  const following = (async () => {
    for await (const event of client.searchAds(7, { after: "c4", signal: ending.signal })) {
      assert.match(event.cursor, /^c[56]$/);
      ending.abort();
    }
  })();
  await assert.rejects(following, { name: "AbortError" });
  assert.equal(seen[0]?.path, "/users/me/searches/7/ads/stream?after=c4");
});
