/** The steps of the author by the status of the ad: the table of the service, which a test compares with it. */
import type { IdempotencyKeyOption } from 'adsvc-client';
import { client, type Status } from '../data/client';

export type Step = 'publish' | 'reserve' | 'release' | 'sell' | 'renew' | 'withdraw';

const STEPS: Record<Status, readonly Step[]> = {
  draft: ['publish', 'withdraw'],
  active: ['reserve', 'sell', 'renew', 'withdraw'],
  reserved: ['release', 'sell', 'withdraw'],
  sold: [],
  withdrawn: ['publish'],
  expired: ['renew', 'publish', 'withdraw'],
  suspended: [],
  removed: [],
};

/** `expires` says whether ads of this site expire; otherwise there is nothing to renew. */
export function stepsFrom(status: Status, expires = true): readonly Step[] {
  return STEPS[status].filter((step) => step !== 'renew' || expires || status === 'expired');
}

type Operation = (id: number, options: IdempotencyKeyOption, buyer?: number) => Promise<unknown>;

const OPERATIONS: Record<Step, Operation> = {
  publish: (id, options) => client.publishAd(id, options),
  reserve: (id, options) => client.reserveAd(id, options),
  release: (id, options) => client.releaseAd(id, options),
  sell: (id, options, buyer) => client.sellAd(id, buyer === undefined ? undefined : { buyer }, options),
  renew: (id, options) => client.renewAd(id, options),
  withdraw: (id, options) => client.withdrawAd(id, options),
};

/** With the same key again, the step is taken once. `buyer` is who bought it, of those who wrote about it. */
export async function take(step: Step, id: number, idempotencyKey: string, buyer?: number): Promise<void> {
  await OPERATIONS[step](id, { idempotencyKey }, buyer);
}
