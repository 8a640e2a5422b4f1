/** What is being posted: it survives a reload, its pictures and the key of the attempt included. */
import { del, get, set } from 'idb-keyval';
import type { PriceType } from '../results/address';

export interface Picture {
  /** Of this page alone. */
  key: string;
  name: string;
  blob: Blob;
}

export interface AdForm {
  title: string;
  price: string;
  priceType: PriceType;
  description: string;
  category: string;
  /** As typed, by name of the attribute. */
  attributes: Record<string, string>;
  place: string;
  location: { latitude: number; longitude: number } | null;
}

export interface Draft {
  form: AdForm;
  pictures: Picture[];
  /** The same for all attempts to post the same: the service then posts it once. */
  idempotencyKey: string;
}

export function newKey(): string {
  // `randomUUID` is there in secure contexts only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

export const emptyForm = (): AdForm => ({
  title: '',
  price: '',
  priceType: 'fixed',
  description: '',
  category: '',
  attributes: {},
  place: '',
  location: null,
});

export const emptyDraft = (): Draft => ({ form: emptyForm(), pictures: [], idempotencyKey: newKey() });

const KEY = 'draft';

/** Of one account: who logs in after another on the same machine does not see what that one typed. */
interface Kept extends Draft {
  owner: number;
}

export async function loadDraft(owner: number): Promise<Draft | null> {
  try {
    const kept = await get<Kept>(KEY);
    return kept?.owner === owner ? kept : null;
  } catch {
    return null;
  }
}

export async function keepDraft(owner: number, draft: Draft): Promise<void> {
  try {
    await set(KEY, { ...draft, owner });
  } catch {
    // Without storage, or without room, it lasts as long as the page.
  }
}

export async function dropDraft(): Promise<void> {
  await del(KEY).catch(() => undefined);
}
