/**
 * A new ad while it is written: on this device with every letter, and a moment later at the service, where it can be
 * gone on with from anywhere.
 */
import { signal } from '@preact/signals';
import { delMany, getMany, set } from 'idb-keyval';
import { newKey } from '../data/action';
import { type Ad, type Category, client } from '../data/client';
import { pause, retryDelay } from '../data/connection';
import { type Fault, toFault } from '../data/fault';
import { categoriesQuery, forgetLists, schemaQuery } from '../data/queries';
import { queryClient } from '../data/query';
import { faultsOf } from './form/judge';
import { readSchema } from './form/schema';
import {
  type AdForm,
  differences,
  emptyForm,
  overlaid,
  settled,
  toChange,
  toForm,
  UNTITLED,
} from './form/toRequest';
import { chosen, type Picture, passes, stored, Uploads } from './pictures/uploads';

/** The form, and separately its pictures, which are too large to be written with every letter. */
const KEY = 'draft';
const PICTURES = 'draft-pictures';

/** One draft for each account: the next person on the same machine does not see it. */
interface Kept {
  owner: number;
  id: number | null;
  /** The title that the draft was begun with: the same request for all attempts. */
  begun: string | null;
  form: AdForm;
  /** The form as the service has it. */
  known: AdForm;
  beginKey: string;
  publishKey: string;
}

type KeptPicture = Omit<Picture, 'part' | 'fault'>;

/** Of who has not logged in yet: nothing is sent before the account that takes it over. */
export const GUEST = 0;

/** How long the person has stopped typing when it is sent. */
const REST = 800;

/** `saved`: the service has all of it. `waiting`: it goes there later. `here`: once there is an account. */
export type Standing = 'empty' | 'saving' | 'saved' | 'waiting' | 'here';

export class Draft {
  readonly form = signal<AdForm>(emptyForm());
  readonly standing = signal<Standing>('empty');
  readonly uploads: Uploads;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private saving: Promise<void> | null = null;
  private beginning: Promise<number> | null = null;
  private writing: Promise<unknown> = Promise.resolve();
  private ended = false;

  constructor(
    private readonly kept: Kept,
    pictures: readonly Picture[] = [],
    ids: readonly number[] = [],
  ) {
    this.form.value = kept.form;
    if (kept.id !== null) this.standing.value = 'saved';
    this.uploads = new Uploads(
      () => this.begin(),
      pictures,
      ids,
      () => {
        this.kept.publishKey = newKey();
        this.keepPictures();
        this.later();
      },
    );
    this.uploads.held = this.isGuest;
  }

  get owner(): number {
    return this.kept.owner;
  }

  get isGuest(): boolean {
    return this.owner === GUEST;
  }

  get id(): number | null {
    return this.kept.id;
  }

  get over(): boolean {
    return this.ended;
  }

  get isEmpty(): boolean {
    return (
      differences(this.form.peek(), emptyForm()).length === 0 && this.uploads.pictures.peek().length === 0
    );
  }

  change(form: AdForm): void {
    this.form.value = form;
    this.kept.form = form;
    // What is published then is another request.
    this.kept.publishKey = newKey();
    this.keep();
    this.later();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save().catch(() => undefined), REST);
  }

  /** Goes on with what was not sent when the page was left. */
  resume(): void {
    if (this.isEmpty) return;
    void this.save().catch(() => undefined);
    void this.uploads.start();
  }

  /** Sends what the service does not have yet; throws what it refuses. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    await this.saving?.catch(() => undefined);
    await this.save();
    await this.uploads.settled();
  }

  async publish(): Promise<Ad> {
    await this.flush();
    return client.publishAd(await this.begin(), { idempotencyKey: this.kept.publishKey });
  }

  /** It is no longer written here: it is published, deleted, or another one has taken its place. */
  async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    this.uploads.end();
    if (current === this) current = null;
    await this.writing;
    await dropDraft();
  }

  /** Takes back `end`; or goes on with what a guest has written. */
  async restore(owner = this.owner): Promise<Draft> {
    this.ended = true;
    this.kept.owner = owner;
    const pictures = this.uploads.pictures.peek();
    current = new Draft(
      this.kept,
      pictures,
      pictures.flatMap(({ id }) => id ?? []),
    );
    current.keep();
    current.keepPictures();
    await current.writing;
    return current;
  }

  private keep(): void {
    this.write(() => set(KEY, this.kept));
  }

  private keepPictures(): void {
    this.keep();
    // Those that the service has are loaded from there.
    const pictures = this.uploads.pictures.peek().map(
      ({ part: _part, fault: _fault, ...one }): KeptPicture => ({
        ...one,
        blob: one.id === null ? one.blob : null,
        url: one.id === null ? one.url : (one.whole ?? one.url),
      }),
    );
    this.write(() => set(PICTURES, pictures));
  }

  private write(work: () => Promise<unknown>): void {
    if (this.ended) return;
    // Without storage, or when it is full, the draft lasts as long as the page.
    this.writing = this.writing.then(work).catch(() => undefined);
  }

  /** The id of the draft at the service, which is made for the first thing that is to be sent. */
  private begin(): Promise<number> {
    this.beginning ??= this.made().finally(() => {
      this.beginning = null;
    });
    return this.beginning;
  }

  private async made(): Promise<number> {
    if (this.kept.id !== null) return this.kept.id;
    this.kept.begun ??= this.form.peek().title.trim() || UNTITLED;
    this.keep();
    const ad = await client.createDraft({ title: this.kept.begun }, { idempotencyKey: this.kept.beginKey });
    this.kept.id = ad.pk;
    this.kept.known = { ...emptyForm(), title: this.kept.begun === UNTITLED ? '' : this.kept.begun };
    this.keep();
    void queryClient.invalidateQueries({ queryKey: ['mine'] });
    return ad.pk;
  }

  private save(): Promise<void> {
    this.saving ??= this.saveAll().finally(() => {
      this.saving = null;
    });
    return this.saving;
  }

  private async saveAll(): Promise<void> {
    for (let failures = 0; !this.ended; ) {
      try {
        if (this.isEmpty && this.kept.id === null) return;
        if (this.isGuest) {
          this.standing.value = 'here';
          return;
        }
        this.standing.value = 'saving';
        const id = await this.begin();
        const change = await this.unsent();
        if (!change) {
          this.standing.value = 'saved';
          return;
        }
        await client.updateAd(id, change.body);
        this.kept.known = change.known;
        this.keep();
        failures = 0;
      } catch (error) {
        this.standing.value = 'waiting';
        if (!passes(toFault(error))) throw error;
        await pause(retryDelay(failures, error as Error));
        failures += 1;
      }
    }
  }

  /** What the service does not have, but for what it would refuse: that stays here until it is mended. */
  private async unsent(): Promise<{ body: ReturnType<typeof toChange>; known: AdForm } | null> {
    const form = settled(this.form.peek());
    const { known } = this.kept;
    const categories = await queryClient.fetchQuery<Category[]>(categoriesQuery() as never);
    const defined = categories.find(({ slug }) => slug === form.category)?.attributes ?? [];
    const schema = form.category ? await queryClient.fetchQuery(schemaQuery(form.category) as never) : {};
    const wrong = new Set(
      faultsOf(form, readSchema(schema as Record<string, unknown>))
        .filter(({ at, code }) => code !== 'missing' && !(code === 'wrong-length' && at !== '/place'))
        .map(({ at }) => at.slice(1)),
    );
    if (!form.price.trim()) wrong.add('price');
    const names = differences(known, form).filter((name) => !wrong.has(name));
    const next = overlaid(known, form, names);
    const body = toChange(known, next, defined);
    return Object.keys(body).length > 0 ? { body, known: next } : null;
  }
}

const fresh = (owner: number): Kept => ({
  owner,
  id: null,
  begun: null,
  form: emptyForm(),
  known: emptyForm(),
  beginKey: newKey(),
  publishKey: newKey(),
});

let current: Draft | null = null;

async function readKept(owner: number): Promise<[Kept, KeptPicture[]] | null> {
  try {
    const [kept, pictures] = (await getMany([KEY, PICTURES])) as [Kept?, KeptPicture[]?];
    if (kept?.owner !== owner && kept?.owner !== GUEST) return null;
    // Records of earlier versions have no keys of their own for these.
    return [{ ...fresh(owner), ...kept, owner }, pictures ?? []];
  } catch {
    return null;
  }
}

/** The draft with this id, or the one that is being written on this device; a new one if there is none. */
export async function openDraft(owner: number, id: number | null): Promise<Draft> {
  const open = (await openHere(owner)) ?? new Draft(fresh(owner));
  if (id === null || open.id === id) return adopt(open);
  const ad = await client.getAd(id);
  if (!open.isEmpty) await open.flush();
  await open.end();
  const form = toForm(ad);
  return adopt(
    new Draft(
      { ...fresh(owner), id, form, known: form },
      ad.images.map(stored),
      ad.images.map((image) => image.id),
    ),
  );
}

function adopt(draft: Draft): Draft {
  current = draft;
  draft.resume();
  return draft;
}

async function openHere(owner: number): Promise<Draft | null> {
  if (current?.owner === owner && !current.over) return current;
  if (current?.isGuest && !current.over && !current.isEmpty) return current.restore(owner);
  const found = await readKept(owner);
  if (!found) return null;
  const [kept, pictures] = found;
  const here = pictures.map(
    (one): Picture =>
      one.blob && one.id === null ? chosen(one.blob, one.name, one.key) : { ...one, part: null, fault: null },
  );
  if (kept.id === null) return new Draft(kept, here);
  try {
    const ad = await client.getAd(kept.id);
    // It was published meanwhile, perhaps by a request whose answer was lost.
    if (ad.status !== 'draft') {
      await dropDraft();
      return null;
    }
    const there = new Map(ad.images.map((image) => [image.id, image]));
    // The addresses of those that were chosen here have ended with the page.
    const known = here.flatMap((one) => {
      const image = one.id === null ? undefined : there.get(one.id);
      if (image) there.delete(image.id);
      return image ? [stored(image)] : one.id === null ? [one] : [];
    });
    // A picture that only the service has may be one whose answer was lost: it is shown when that one is sent again.
    const waiting = known.some(({ id }) => id === null);
    return new Draft(
      kept,
      waiting ? known : [...known, ...[...there.values()].map(stored)],
      ad.images.map(({ id }) => id),
    );
  } catch (error) {
    const fault: Fault = toFault(error);
    // It was deleted elsewhere: what is here begins another one.
    if (fault.status === 404)
      return new Draft(
        { ...fresh(owner), form: kept.form },
        here.filter(({ blob }) => blob),
      );
    return new Draft(
      kept,
      here,
      here.flatMap(({ id }) => id ?? []),
    );
  }
}

export async function dropDraft(): Promise<void> {
  current = null;
  await delMany([KEY, PICTURES]).catch(() => undefined);
}

/** What lists show changes with a draft that is published or deleted. */
export async function publishDraft(draft: Draft): Promise<Ad> {
  const ad = await draft.publish();
  await draft.end();
  forgetLists();
  return ad;
}
