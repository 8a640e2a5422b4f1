export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token has to be renewed before use: milliseconds since 1970, by this machine's clock. */
  readonly renewAt: number;
}

/** Where a session is kept. Methods may be asynchronous. */
export interface TokenStore {
  get(): Tokens | null | Promise<Tokens | null>;
  set(tokens: Tokens | null): void | Promise<void>;
  /** A name that all tabs of a browser share: they refresh one at a time, and notify each other of login and logout. */
  readonly shared?: string;
}

/** In memory, for as long as the client lives. The default outside of browsers. */
export function memoryTokens(tokens: Tokens | null = null): TokenStore {
  return {
    get: () => tokens,
    set: (next) => {
      tokens = next;
    },
  };
}

const DATABASE = "adsvc";
const OBJECT_STORE = "sessions";

type Task = (all: IDBObjectStore) => { readonly result: unknown };

/**
 * In IndexedDB, for all tabs of the origin and beyond their end. The default in browsers. Scripts of the page can read it
 * there. Where it cannot be opened, a session lasts as long as the page.
 */
export function indexedDBTokens(name = "adsvc"): TokenStore {
  let opened: Promise<IDBDatabase> | undefined;
  let inMemory: Tokens | null = null;
  let broken = false;

  /** Undefined when it has failed twice: browsers close a connection of a page in the background. */
  async function run(mode: IDBTransactionMode, task: Task): Promise<unknown> {
    for (let attempt = 1; !broken; attempt += 1) {
      opened ??= open();
      try {
        return await completed(await opened, mode, task);
      } catch {
        opened = undefined;
        broken = attempt === 2;
      }
    }
    return undefined;
  }

  return {
    shared: name,
    get: async () => {
      const value = await run("readonly", (all) => all.get(name));
      return broken ? inMemory : valid(value);
    },
    set: async (tokens) => {
      inMemory = tokens;
      await run("readwrite", (all) => (tokens === null ? all.delete(name) : all.put(tokens, name)));
    },
  };
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(OBJECT_STORE);
  };
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error("IndexedDB cannot be opened."));
    };
  });
  // The page does not stand in the way of one that deletes the database.
  database.onversionchange = () => {
    database.close();
  };
  return database;
}

/** The result, when it is stored. */
async function completed(database: IDBDatabase, mode: IDBTransactionMode, task: Task): Promise<unknown> {
  const transaction = database.transaction(OBJECT_STORE, mode);
  const request = task(transaction.objectStore(OBJECT_STORE));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => {
      resolve(request.result);
    };
    transaction.onabort = () => {
      reject(transaction.error ?? new Error("IndexedDB has aborted a transaction."));
    };
  });
}

/**
 * In `localStorage`, for all tabs of the origin and beyond their end. Scripts of the page can read it there. Chromium shows
 * a tab what another one has stored only after a while: `indexedDBTokens` does not have that fault.
 */
export function localStorageTokens(key = "adsvc"): TokenStore {
  return {
    shared: key,
    get: () => parse(localStorage.getItem(key)),
    set: (tokens) => {
      if (tokens === null) {
        localStorage.removeItem(key);
      } else {
        localStorage.setItem(key, JSON.stringify(tokens));
      }
    },
  };
}

function parse(text: string | null): Tokens | null {
  try {
    return valid(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
}

/** Ignores a value under the key that is not a session. */
function valid(value: unknown): Tokens | null {
  const tokens = value as Partial<Tokens> | null | undefined;
  return typeof tokens?.accessToken === "string" && typeof tokens.refreshToken === "string"
    ? { accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, renewAt: Number(tokens.renewAt) || 0 }
    : null;
}
