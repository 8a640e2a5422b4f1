/** The requests of the console. */
import type { QueryKey, QueryObserverOptions } from '@tanstack/query-core';
import {
  type Account,
  type AdministeredAds,
  type AuditEvents,
  client,
  type Deliveries,
  type DeliveryStatus,
  type JobList,
  type OutboxEntries,
  type Overview,
  type SettingList,
  type Webhooks,
} from '../data/client';
import { paged } from '../data/queries';
import { type PagesOptions, queryClient } from '../data/query';

type Options<Data> = QueryObserverOptions<Data, Error, Data, Data, QueryKey>;
type Query<Name extends 'listAllAds' | 'listAuditEvents' | 'listOutbox'> = NonNullable<
  Parameters<(typeof client)[Name]>[0]
>;

export type AdsQuery = Omit<Query<'listAllAds'>, 'cursor' | 'limit'>;
export type AuditQuery = Omit<Query<'listAuditEvents'>, 'cursor' | 'limit'>;
export type EntryStatus = NonNullable<Query<'listOutbox'>['status']>;

const LIMIT = 50;
/** What jobs and mails do is seen without a reload. */
const OFTEN = { staleTime: 0, refetchInterval: 10_000 };

export const overviewQuery = (): Options<Overview> => ({
  queryKey: ['console', 'overview'],
  queryFn: ({ signal }) => client.getOverview({ signal }),
  ...OFTEN,
});

export const allAdsQuery = (query: AdsQuery): PagesOptions<AdministeredAds> => ({
  ...paged(['console', 'ads', query], (from, options) =>
    client.listAllAds({ ...query, limit: LIMIT, ...from }, options),
  ),
  staleTime: 0,
});

export const accountQuery = (id: number): Options<Account> => ({
  queryKey: ['console', 'account', id],
  queryFn: ({ signal }) => client.getUser(id, { signal }),
  staleTime: 0,
});

export const auditQuery = (query: AuditQuery): PagesOptions<AuditEvents> => ({
  ...paged(['console', 'audit', query], (from, options) =>
    client.listAuditEvents({ ...query, limit: LIMIT, ...from }, options),
  ),
  staleTime: 0,
});

export const settingsQuery = (): Options<SettingList> => ({
  queryKey: ['console', 'settings'],
  queryFn: ({ signal }) => client.listSettings({ signal }),
});

export const jobsQuery = (): Options<JobList> => ({
  queryKey: ['console', 'jobs'],
  queryFn: ({ signal }) => client.listJobs({ signal }),
  ...OFTEN,
  refetchInterval: 2000,
});

export const outboxQuery = (status: EntryStatus): PagesOptions<OutboxEntries> => ({
  ...paged(['console', 'outbox', status], (from, options) =>
    client.listOutbox({ status, limit: LIMIT, ...from }, options),
  ),
  staleTime: 0,
});

export const webhooksQuery = (): Options<Webhooks> => ({
  queryKey: ['console', 'webhooks'],
  queryFn: ({ signal }) => client.listWebhooks({ signal }),
  staleTime: 0,
});

export const deliveriesQuery = (id: number, status?: DeliveryStatus): PagesOptions<Deliveries> => ({
  ...paged(['console', 'deliveries', id, status], (from, options) =>
    client.listDeliveries(id, { ...(status ? { status } : {}), ...from }, options),
  ),
  staleTime: 0,
});

export const forgetConsole = (...of: (string | number)[]): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['console', ...of] });
