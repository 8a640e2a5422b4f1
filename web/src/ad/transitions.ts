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

const OPERATIONS: Record<Step, (id: number, options: IdempotencyKeyOption) => Promise<unknown>> = {
  publish: (id, options) => client.publishAd(id, options),
  reserve: (id, options) => client.reserveAd(id, options),
  release: (id, options) => client.releaseAd(id, options),
  sell: (id, options) => client.sellAd(id, undefined, options),
  renew: (id, options) => client.renewAd(id, options),
  withdraw: (id, options) => client.withdrawAd(id, options),
};

/** With the same key again, the step is taken once. */
export async function take(step: Step, id: number, idempotencyKey: string): Promise<void> {
  await OPERATIONS[step](id, { idempotencyKey });
}
