/** The draft of a new ad. It survives a reload, with its pictures and the key of the attempt. */
import { delMany, getMany, set, setMany } from 'idb-keyval';
import { newKey } from '../data/action';
import { type AdForm, emptyForm } from './form/toRequest';
import type { Picture } from './pictures/picturesField';

export interface Draft {
  form: AdForm;
  pictures: Picture[];
  /** The same key for all attempts, so that the service posts the ad once. */
  idempotencyKey: string;
}

export const emptyDraft = (): Draft => ({ form: emptyForm(), pictures: [], idempotencyKey: newKey() });

/** The form, and separately its pictures, which are too large to be written with every letter. */
const KEY = 'draft';
const PICTURES = 'draft-pictures';

/** One draft for each account: the next person on the same machine does not see it. */
interface Kept extends Omit<Draft, 'pictures'> {
  owner: number;
}

export async function loadDraft(owner: number): Promise<Draft | null> {
  try {
    const [kept, pictures] = (await getMany([KEY, PICTURES])) as [Kept?, Picture[]?];
    return kept?.owner === owner ? { ...kept, pictures: pictures ?? [] } : null;
  } catch {
    return null;
  }
}

/** `before` is what was kept last: pictures that are still the same are not written again. */
export async function keepDraft(owner: number, draft: Draft, before?: Draft): Promise<void> {
  const { pictures, ...typed } = draft;
  const kept: Kept = { ...typed, owner };
  try {
    if (pictures === before?.pictures) await set(KEY, kept);
    else
      await setMany([
        [KEY, kept],
        [PICTURES, pictures],
      ]);
  } catch {
    // Without storage, or when it is full, the draft lasts as long as the page.
  }
}

export async function dropDraft(): Promise<void> {
  await delMany([KEY, PICTURES]).catch(() => undefined);
}
