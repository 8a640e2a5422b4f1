import assert from "node:assert/strict";
import { once } from "node:events";
import { before, test } from "node:test";
import { AdsvcClient, localStorageTokens, type SessionEvent } from "../../src/index.js";
import { json, problem, scripted, tokens } from "../support/scripted.js";

// What Node 20 does not have of a browser: a storage and locks that all tabs share.
const kept = new Map<string, string>();
const waiting = new Map<string, Promise<unknown>>();

before(() => {
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

test("two tabs with one expired token refresh it once", async () => {
  const { url, seen } = await scripted((response, one) =>
    (one.path === "/token"
      ? tokens("new")
      : one.headers.authorization === "Bearer access-new"
        ? json(200, { id: 7 })
        : problem(401, "invalid-credentials"))(response, one),
  );
  kept.set("adsvc", JSON.stringify({ accessToken: "access-old", refreshToken: "refresh-old", renewAt: 0 }));
  const tabs = [1, 2].map(() => new AdsvcClient({ baseUrl: url, tokens: localStorageTokens() }));
  await Promise.all(tabs.flatMap((tab) => [tab.getMe(), tab.getMe()]));
  assert.equal(seen.filter(({ path }) => path === "/token").length, 1);
  tabs.forEach((tab) => {
    tab.close();
  });
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
  }
});
