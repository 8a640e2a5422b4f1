/** What is being posted: it survives a reload, its pictures and the key of the attempt included. */
import { delMany, getMany, set, setMany } from 'idb-keyval';
import { newKey } from '../data/keys';
import { type AdForm, emptyForm } from './form/adForm';
import type { Picture } from './pictures/picturesField';

export interface Draft {
  form: AdForm;
  pictures: Picture[];
  /** The same for all attempts to post the same: the service then posts it once. */
  idempotencyKey: string;
}

export const emptyDraft = (): Draft => ({ form: emptyForm(), pictures: [], idempotencyKey: newKey() });

/** What is typed, and apart from it the pictures: these are too large to be written with every letter. */
const KEY = 'draft';
const PICTURES = 'draft-pictures';

/** Of one account: who logs in after another on the same machine does not see what that one typed. */
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
    // Without storage, or without room, it lasts as long as the page.
  }
}

export async function dropDraft(): Promise<void> {
  await delMany([KEY, PICTURES]).catch(() => undefined);
}
