/** OpenID providers that people may sign in with; none on most sites. */
import { computed } from '@preact/signals';
import { site } from '../data/site';

export const providers = computed(() => site.value?.providers ?? []);

const NEXT = 'provider-next';

/** Where accounts add what they sign in with. */
export const ADDING = '/account/security';
/** No login leads here by itself. */
const ADDING_NEXT = `${ADDING}#adding`;

/** That the login at the provider is for the account that is signed in. */
export const rememberAdding = (): void => rememberNext(ADDING_NEXT);

/** The page to return to from the provider. */
export function rememberNext(path: string): void {
  try {
    sessionStorage.setItem(NEXT, path);
  } catch {
    // Storage may be switched off: the home page follows.
  }
}

export function takeNext(): string {
  try {
    const next = sessionStorage.getItem(NEXT);
    sessionStorage.removeItem(NEXT);
    return next ?? '/';
  } catch {
    return '/';
  }
}

/** Whether the account that is signed in has asked for it. */
export function takeAdding(): boolean {
  try {
    const adds = sessionStorage.getItem(NEXT) === ADDING_NEXT;
    if (adds) sessionStorage.removeItem(NEXT);
    return adds;
  } catch {
    return false;
  }
}
