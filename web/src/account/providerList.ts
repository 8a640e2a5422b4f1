/** OpenID providers that people may sign in with; none on most sites. */
import { computed } from '@preact/signals';
import { site } from '../data/site';

export const providers = computed(() => site.value?.providers ?? []);

const NEXT = 'provider-next';

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
