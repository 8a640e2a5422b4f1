/** The service worker: it shows notifications, and what was seen last while there is no network. */

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string | null }): void;
}

export const WORKER = '/worker.js';

/** What of it belongs to no version: answers that anyone may read, and their pictures. */
const SEEN = 'seen';

/** This one, and the one that draws maps. */
const WORKERS = /^\/(worker|assets\/maplibre-gl-worker-[\w-]+)\.js$/;

/** The policy of the page takes addresses of scripts only from here: from the trusted type policy that checks all. */
(globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('default', {
  createScriptURL: (address) => (WORKERS.test(address) ? address : null),
});

export const register = (): Promise<ServiceWorkerRegistration> => navigator.serviceWorker.register(WORKER);

/** The next account on this device does not see what was looked at. */
export function dropSeen(): void {
  void globalThis.caches?.delete(SEEN).catch(() => undefined);
}

/** After the page has what it needs. */
export function startWorker(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return;
  const begin = (): void => void register().catch(() => undefined);
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
