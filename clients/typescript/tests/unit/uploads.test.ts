import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { AdsvcClient, responseOf, type UploadProgress } from "../../src/index.js";
import { json, lost, scripted } from "../support/scripted.js";

const OAK = { title: "Oak table", price: 150, description: "Solid oak, oiled." };
let directory = "";

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "adsvc-client-"));
  await writeFile(join(directory, "photo.jpg"), "from a path");
});
after(() => rm(directory, { recursive: true }));

test("properties come before the pictures, which keep their order and names", async () => {
  const { url, seen } = await scripted(json(201, { pk: 1 }));
  await new AdsvcClient({ baseUrl: url }).createAd(OAK, [
    join(directory, "photo.jpg"),
    new File(["from a file"], "b.png", { type: "image/png" }),
    new Blob(["from a blob"]),
  ]);
  const body = seen[0]?.body ?? "";
  const parts = [...body.matchAll(/name="(\w+)"(?:; filename="([^"]+)")?/g)].map((match) => match.slice(1));
  assert.deepEqual(parts, [
    ["properties", undefined],
    ["image", "photo.jpg"],
    ["image", "b.png"],
    ["image", "file"],
  ]);
  assert.ok(body.includes(JSON.stringify(OAK)));
  assert.ok(body.includes("from a path") && body.includes("from a file") && body.includes("from a blob"));
});

test("one file may stand alone", async () => {
  const { url, seen } = await scripted(json(201, { results: [] }));
  await new AdsvcClient({ baseUrl: url }).addAdImages(1, join(directory, "photo.jpg"));
  assert.ok(seen[0]?.body.includes("from a path"));
});

test("a file that is not there ends the call before anything is sent", async () => {
  const { url, seen } = await scripted(json(201, {}));
  await assert.rejects(new AdsvcClient({ baseUrl: url }).addAdImages(1, join(directory, "none.jpg")), {
    code: "ENOENT",
  });
  assert.equal(seen.length, 0);
});

test("an upload is sent again whole when its answer is lost", async () => {
  const { url, seen } = await scripted(lost, (response) => {
    response.writeHead(200, { "content-type": "image/jpeg" }).end("stored");
  });
  const stored = await new AdsvcClient({ baseUrl: url }).replaceAdImage(1, join(directory, "photo.jpg"));
  assert.equal(await stored.text(), "stored");
  assert.equal(seen.filter(({ body }) => body.includes("from a path")).length, 2);
});

test("a feed comes as text, Blob, stream or iterator, and says its type", async () => {
  const row = '{"externalId": "A1"}\n';
  const file = join(directory, "stock.csv");
  await writeFile(file, "externalId,title\n");
  const feeds = [row, new File([`\uFEFF${row}`], "a", { type: "text/csv" }), new Blob([row]).stream(), pieces(row)];
  for (const [number, feed] of [...feeds, createReadStream(file)].entries()) {
    const { url, seen } = await scripted(json(202, { id: 1 }));
    await new AdsvcClient({ baseUrl: url }).createImport(feed, { mode: "full" });
    const [type, text] = number < feeds.length ? ["application/x-ndjson", row] : ["text/csv", "externalId,title\n"];
    assert.equal(seen[0]?.headers["content-type"], type);
    assert.ok(seen[0].body.endsWith(text));
  }
});

async function* pieces(text: string): AsyncGenerator<string | Uint8Array> {
  yield text.slice(0, 3);
  yield new TextEncoder().encode(text.slice(3));
  await Promise.resolve();
}

test("without XMLHttpRequest progress is told at the end", async () => {
  const { url } = await scripted(json(201, { results: [] }));
  const told: UploadProgress[] = [];
  await new AdsvcClient({ baseUrl: url }).addAdImages(1, new Blob(["12345"]), { onProgress: (one) => told.push(one) });
  assert.deepEqual(told, [{ loaded: 5, total: 5 }]);
});

test("with XMLHttpRequest progress is told on the way, and the answer is the same", async () => {
  Object.defineProperty(globalThis, "XMLHttpRequest", { value: BrowserRequest, configurable: true });
  try {
    const { url, seen } = await scripted(json(201, { results: [] }, { etag: '"v1"' }));
    const told: UploadProgress[] = [];
    const onProgress = (one: UploadProgress): unknown => told.push(one);
    const images = await new AdsvcClient({ baseUrl: url }).addAdImages(1, new Blob(["12345"]), { onProgress });
    assert.deepEqual(told, [{ loaded: 1, total: 2 }]);
    assert.deepEqual(images, { results: [] });
    assert.equal(responseOf(images)?.etag, '"v1"');
    assert.ok(seen[0]?.body.includes("12345"));
    const controller = new AbortController();
    const aborted = new AdsvcClient({ baseUrl: url }).addAdImages(1, new Blob([]), {
      signal: controller.signal,
      onProgress: () => {
        controller.abort(new Error("left"));
      },
    });
    await assert.rejects(aborted, /left/);
  } finally {
    Reflect.deleteProperty(globalThis, "XMLHttpRequest");
  }
});

/** So much of a browser's as the client uses. */
class BrowserRequest {
  readonly upload: { onprogress?: (progress: UploadProgress) => void } = {};
  readonly #aborted = new AbortController();
  #request: { method: string; url: string; headers: Record<string, string> } = { method: "", url: "", headers: {} };
  #headers = new Headers();
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  status = 0;
  response: Blob | undefined;

  open(method: string, url: string): void {
    this.#request = { method, url, headers: {} };
  }

  setRequestHeader(name: string, value: string): void {
    this.#request.headers[name] = value;
  }

  getAllResponseHeaders(): string {
    return [...this.#headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  }

  abort(): void {
    this.#aborted.abort();
  }

  send(body: FormData): void {
    const { method, url, headers } = this.#request;
    this.upload.onprogress?.({ loaded: 1, total: 2 });
    fetch(url, { method, headers, body, signal: this.#aborted.signal }).then(
      async (response) => {
        this.status = response.status;
        this.#headers = response.headers;
        this.response = await response.blob();
        this.onload?.();
      },
      () => (this.#aborted.signal.aborted ? this.onabort : this.onerror)?.(),
    );
  }
}
