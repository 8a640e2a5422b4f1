import assert from "node:assert/strict";
import { once } from "node:events";
import { before, test } from "node:test";
import { IDBFactory } from "fake-indexeddb";
import {
  AdsvcClient,
  indexedDBTokens,
  localStorageTokens,
  memoryTokens,
  type SessionEvent,
  type Tokens,
} from "../../src/index.js";
import { json, problem, scripted, tokens } from "../support/scripted.js";

// What Node 20 does not have of a browser: a storage and locks that all tabs share.
const kept = new Map<string, string>();
const waiting = new Map<string, Promise<unknown>>();

before(() => {
  Object.defineProperty(globalThis, "indexedDB", { value: new IDBFactory(), configurable: true });
  Object.defineProperty(globalThis, "localStorage", {
    value: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    },
  });
  Object.defineProperty(globalThis, "navigator", {
    value: {
      locks: {
        request: (name: string, task: () => Promise<unknown>) => {
          const turn = (waiting.get(name) ?? Promise.resolve()).then(task);
          waiting.set(
            name,
            turn.catch(() => undefined),
          );
          return turn;
        },
      },
    },
  });
});

const EXPIRED: Tokens = { accessToken: "access-old", refreshToken: "refresh-old", renewAt: 0 };

/** A service where the tokens have expired. */
const expired = (): ReturnType<typeof scripted> =>
  scripted((response, one) =>
    (one.path === "/token"
      ? tokens("new")
      : one.headers.authorization === "Bearer access-new"
        ? json(200, { id: 7 })
        : problem(401, "invalid-credentials"))(response, one),
  );

for (const store of [indexedDBTokens, localStorageTokens]) {
  test(`two tabs with one expired token refresh it once: ${store.name}`, async () => {
    const { url, seen } = await expired();
    await store().set(EXPIRED);
    const tabs = [1, 2].map(() => new AdsvcClient({ baseUrl: url, tokens: store() }));
    await Promise.all(tabs.flatMap((tab) => [tab.getMe(), tab.getMe()]));
    assert.equal(seen.filter(({ path }) => path === "/token").length, 1);
    tabs.forEach((tab) => {
      tab.close();
    });
  });
}

test("a tab that refreshes what another one has just refreshed keeps the session", async () => {
  const { url, seen } = await expired();
  // What the other tab stores is visible late, and the service gives the same tokens again.
  const shared = memoryTokens(EXPIRED);
  let reads = 0;
  const late = { ...shared, get: () => (reads++ < 2 ? EXPIRED : shared.get()) };
  const [first, second] = [shared, late].map((store) => new AdsvcClient({ baseUrl: url, tokens: store }));
  assert.ok(first && second);
  await first.getMe();
  await second.getMe();
  assert.deepEqual(
    seen.map(({ path }) => path),
    ["/token", "/users/me", "/token", "/users/me"],
  );
  assert.equal((await second.tokens())?.refreshToken, "refresh-new");
});

test("in browsers a session is in IndexedDB, one for each address", async () => {
  const { url } = await scripted(tokens("new"));
  const tab = new AdsvcClient({ baseUrl: url });
  await tab.login({ username: "anna", password: "correct horse" });
  const reloaded = new AdsvcClient({ baseUrl: url });
  assert.equal((await reloaded.tokens())?.accessToken, "access-new");
  const elsewhere = new AdsvcClient({ baseUrl: "http://127.0.0.1:1" });
  assert.equal(await elsewhere.tokens(), null);
  assert.equal(await new AdsvcClient({ baseUrl: url, key: "adsvc_key" }).tokens(), null);
  for (const one of [tab, reloaded, elsewhere]) {
    one.close();
  }
});

test("a connection that the browser has closed is opened anew", async () => {
  const store = indexedDBTokens("closed");
  await store.set(EXPIRED);
  // A newer version of the database closes all connections to it.
  await new Promise((resolve) => {
    indexedDB.deleteDatabase("adsvc").onsuccess = resolve;
  });
  assert.equal(await store.get(), null);
  await store.set(EXPIRED);
  assert.deepEqual(await indexedDBTokens("closed").get(), EXPIRED);
});

test("where IndexedDB cannot be opened a session lasts as long as the page", async () => {
  const real = globalThis.indexedDB;
  const broken = {
    open: () => {
      throw new DOMException("It is switched off.", "SecurityError");
    },
  };
  Object.defineProperty(globalThis, "indexedDB", { value: broken, configurable: true });
  try {
    const store = indexedDBTokens("broken");
    assert.equal(await store.get(), null);
    await store.set(EXPIRED);
    assert.deepEqual(await store.get(), EXPIRED);
    assert.equal(await indexedDBTokens("broken").get(), null);
  } finally {
    Object.defineProperty(globalThis, "indexedDB", { value: real, configurable: true });
  }
});

test("a tab hears of the logout in another", async () => {
  const { url } = await scripted(json(200, {}));
  kept.set("other", JSON.stringify({ accessToken: "a", refreshToken: "r", renewAt: Number.MAX_SAFE_INTEGER }));
  const [tab, other] = [1, 2].map(() => new AdsvcClient({ baseUrl: url, tokens: localStorageTokens("other") }));
  assert.ok(tab && other);
  const heard = new EventTarget();
  const told = once(heard, "session") as Promise<[CustomEvent<SessionEvent>]>;
  other.onSession((event) => heard.dispatchEvent(new CustomEvent("session", { detail: event })));
  await tab.logout();
  // A channel does not keep the process alive while it waits.
  const alive = setTimeout(() => undefined, 10_000);
  assert.deepEqual((await told)[0].detail, { type: "logout", remote: true });
  clearTimeout(alive);
  assert.equal(await other.tokens(), null);
  tab.close();
  other.close();
});

test("what is no session in the storage is nobody's", async () => {
  for (const text of ["", "nonsense", "null", "7", '{"accessToken": 1}', "[]"]) {
    kept.set("odd", text);
    assert.equal(await localStorageTokens("odd").get(), null, text);
    await indexedDBTokens("odd").set(text as unknown as Tokens);
    assert.equal(await indexedDBTokens("odd").get(), null, text);
  }
});
