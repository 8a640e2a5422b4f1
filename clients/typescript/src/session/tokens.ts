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

/** In memory, for as long as the client lives. The default. */
export function memoryTokens(tokens: Tokens | null = null): TokenStore {
  return {
    get: () => tokens,
    set: (next) => {
      tokens = next;
    },
  };
}

/** In `localStorage`, for all tabs of the origin and beyond their end. Scripts of the page can read it there. */
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

/** Ignores a value under the key that is not a session. */
function parse(text: string | null): Tokens | null {
  try {
    const tokens = JSON.parse(text ?? "null") as Partial<Tokens> | null;
    return typeof tokens?.accessToken === "string" && typeof tokens.refreshToken === "string"
      ? { accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, renewAt: Number(tokens.renewAt) || 0 }
      : null;
  } catch {
    return null;
  }
}
