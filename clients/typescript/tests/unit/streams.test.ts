import assert from "node:assert/strict";
import { test } from "node:test";
import { AdsvcClient, memoryTokens } from "../../src/index.js";
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
