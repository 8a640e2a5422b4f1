/** Names in IndexedDB that several modules use. */

/** Messages on their way, of all accounts. */
export const OUTBOX = 'outbox';
