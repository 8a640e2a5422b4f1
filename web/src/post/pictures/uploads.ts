/** The pictures of an ad on their way to the service: one after another, while the person does other things. */
import { signal } from '@preact/signals';
import { newKey } from '../../data/action';
import { client, type Image } from '../../data/client';
import { pause, retryDelay } from '../../data/connection';
import { type Fault, gone, Refusal, toFault } from '../../data/fault';
import { move } from './order';

export interface Picture {
  /** An id within this page, and the idempotency key of the upload. */
  key: string;
  name: string;
  /** Null of a picture that only the service has. */
  blob: Blob | null;
  /** Where to show it from; and of a picture that only the service has, the address of the whole one. */
  url: string;
  whole?: string;
  /** At the service; null until it is there. */
  id: number | null;
  /** From 0 to 1 while it goes up. */
  part: number | null;
  fault: Fault | null;
}

export function stored(image: Image): Picture {
  const url = image.variants.thumb?.path ?? image.image;
  const { id, image: whole } = image;
  return { key: `stored-${id}`, name: '', blob: null, url, whole, id, part: null, fault: null };
}

export function chosen(blob: Blob, name: string, key = newKey()): Picture {
  return { key, name, blob, url: URL.createObjectURL(blob), id: null, part: null, fault: null };
}

/** Faults that pass by themselves: the work goes on after a while. */
export function passes({ kind, status, slug }: Fault): boolean {
  // A request that was cut off may still be carried out when it is sent again.
  return kind === 'connection' || status === 429 || status === 503 || slug === 'idempotency-in-progress';
}

export class Uploads {
  readonly pictures = signal<readonly Picture[]>([]);
  /** Whether some that were chosen are still made smaller. */
  readonly preparing = signal(false);
  /** Of deleting and ordering: no picture shows it. */
  readonly fault = signal<Fault | null>(null);
  /** Whether nothing is sent, as there is no account yet. */
  held = false;
  private ids: number[];
  private dropped: number[] = [];
  /** The one that was removed last, while that can be taken back. */
  private removed: Picture | null = null;
  private running: Promise<void> | null = null;
  private ended = false;

  constructor(
    private readonly ad: () => Promise<number>,
    pictures: readonly Picture[],
    /** The ids at the service, in its order. */
    ids: readonly number[],
    /** Called when something has changed, at the service too if so. */
    private readonly changed: (atService: boolean) => void,
  ) {
    this.pictures.value = pictures;
    this.ids = [...ids];
  }

  add(added: readonly Picture[]): void {
    this.set([...this.pictures.peek(), ...added]);
    this.start();
  }

  move(from: number, to: number): void {
    this.set(move(this.pictures.peek(), from, to));
    this.start();
  }

  /** Returns how to take it back, which is possible until `commit`: only then the service deletes it. */
  remove(key: string): () => void {
    this.commit();
    const before = this.pictures.peek();
    const at = before.findIndex((one) => one.key === key);
    const found = before[at];
    if (!found) return () => undefined;
    this.removed = found;
    this.set(before.filter((one) => one !== found));
    return () => {
      if (this.removed !== found) return;
      this.removed = null;
      this.set(this.pictures.peek().toSpliced(at, 0, found));
      this.start();
    };
  }

  /** From here on what was removed is gone. */
  commit(): void {
    const { removed } = this;
    this.removed = null;
    if (removed?.id == null) return;
    this.dropped.push(removed.id);
    this.start();
  }

  /** Another picture at the same place, such as the same one turned. */
  replace(key: string, blob: Blob): void {
    const found = this.pictures.peek().find((one) => one.key === key);
    if (!found) return;
    this.set(this.pictures.peek().map((one) => (one === found ? chosen(blob, 'picture.jpg') : one)));
    if (found.id !== null) this.dropped.push(found.id);
    this.start();
  }

  retry(key: string): void {
    this.update(key, { fault: null });
    this.start();
  }

  /** Until all is as it is shown; throws what does not pass. */
  async settled(): Promise<void> {
    this.commit();
    await this.start();
    const fault = this.fault.peek();
    if (fault) throw new Refusal(fault.slug || 'unknown');
    if (this.pictures.peek().some((one) => one.fault)) throw new Refusal('picture-not-sent');
  }

  end(): void {
    this.ended = true;
  }

  start(): Promise<void> {
    this.running ??= this.work().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async work(): Promise<void> {
    this.fault.value = null;
    for (let failures = 0; !this.ended; ) {
      const step = this.next();
      if (!step) return;
      try {
        await step();
        failures = 0;
      } catch (error) {
        const fault = toFault(error);
        if (!passes(fault)) {
          this.fault.value = fault;
          return this.reset().catch(() => undefined);
        }
        await pause(retryDelay(failures, error as Error));
        failures += 1;
      }
    }
  }

  private next(): (() => Promise<void>) | null {
    if (this.held) return null;
    const all = this.pictures.peek();
    const waiting = all.find((one) => one.id === null && !one.fault);
    const [drop] = this.dropped;
    // The last picture of an ad stays until there is another one.
    if (drop !== undefined && (this.ids.length > 1 || !waiting)) return () => this.drop(drop);
    if (waiting) return () => this.send(waiting);
    const wanted = all.flatMap(({ id }) => id ?? []);
    if (wanted.length === this.ids.length && wanted.some((id, at) => id !== this.ids[at]))
      return () => this.order(wanted);
    const shown = [...wanted, this.removed?.id];
    return this.ids.some((id) => !shown.includes(id)) ? () => this.reset() : null;
  }

  private async send({ key, name, blob }: Picture): Promise<void> {
    if (!blob) throw new Refusal('unknown');
    this.update(key, { part: 0 });
    try {
      const ad = await this.ad();
      const file = new File([blob], name || 'picture', { type: blob.type });
      const { results } = await client.addAdImages(ad, [file], {
        idempotencyKey: key,
        onProgress: ({ loaded, total }) => this.update(key, { part: total > 0 ? loaded / total : 0 }),
      });
      const last = results.at(-1);
      if (!last) throw new Refusal('unknown');
      const { id, image: whole } = last;
      if (!this.ids.includes(id)) this.ids.push(id);
      // Of an upload whose answer was lost, the service's own record of it may be here too.
      const others = this.pictures.peek().filter((one) => one.id !== id);
      if (others.length < this.pictures.peek().length) this.set(others);
      // It may have been removed meanwhile.
      if (this.pictures.peek().some((one) => one.key === key))
        this.update(key, { id, whole, part: null }, true);
      else this.dropped.push(id);
    } catch (error) {
      const fault = toFault(error);
      this.update(key, { part: null, fault: passes(fault) ? null : fault });
      if (passes(fault)) throw error;
    }
  }

  private async drop(id: number): Promise<void> {
    await gone(client.deleteAdImage(await this.ad(), id));
    this.dropped = this.dropped.filter((one) => one !== id);
    this.ids = this.ids.filter((one) => one !== id);
    this.changed(true);
  }

  private async order(ids: number[]): Promise<void> {
    await client.orderAdImages(await this.ad(), { order: ids });
    this.ids = ids;
    this.changed(true);
  }

  /** What the service has, and what is still on its way. */
  private async reset(): Promise<void> {
    const found = await client.getAd(await this.ad());
    this.ids = found.images.map(({ id }) => id);
    this.dropped = [];
    const images = found.images.filter(({ id }) => id !== this.removed?.id);
    this.set([...images.map(stored), ...this.pictures.peek().filter(({ id }) => id === null)], true);
  }

  private update(key: string, change: Partial<Picture>, atService = false): void {
    this.set(
      this.pictures.peek().map((one) => (one.key === key ? { ...one, ...change } : one)),
      atService,
    );
  }

  private set(pictures: readonly Picture[], atService = false): void {
    this.pictures.value = pictures;
    if (!this.ended) this.changed(atService);
  }
}
