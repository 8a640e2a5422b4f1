/** What the author may do with an ad, by its status: the table of the interface. */
import { client, type Status } from '../data/client';

export type Step = 'publish' | 'reserve' | 'release' | 'sell' | 'renew' | 'withdraw';

const STEPS: Record<Status, readonly Step[]> = {
  draft: ['publish', 'withdraw'],
  active: ['reserve', 'sell', 'renew', 'withdraw'],
  reserved: ['release', 'sell', 'withdraw'],
  sold: [],
  withdrawn: ['publish'],
  expired: ['renew', 'publish', 'withdraw'],
};

/** `expires` says whether ads of this site expire: where they do not, there is nothing to renew. */
export function stepsFrom(status: Status, expires = true): readonly Step[] {
  return STEPS[status].filter((step) => step !== 'renew' || expires || status === 'expired');
}

const OPERATIONS: Record<Step, (id: number) => Promise<unknown>> = {
  publish: (id) => client.publishAd(id),
  reserve: (id) => client.reserveAd(id),
  release: (id) => client.releaseAd(id),
  sell: (id) => client.sellAd(id),
  renew: (id) => client.renewAd(id),
  withdraw: (id) => client.withdrawAd(id),
};

export async function take(step: Step, id: number): Promise<void> {
  await OPERATIONS[step](id);
}
