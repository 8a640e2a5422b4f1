/** One for all attempts at the same thing, be the answer to the first one lost: the service then does it once. */
export function newKey(): string {
  // `randomUUID` is there in secure contexts only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
