/** What pages ask for, by key: the same question from two places is asked once. */
import type { QueryKey, QueryObserverOptions } from '@tanstack/query-core';
import type { ListParameters } from '../results/address';
import {
  type AdDetails,
  type AdFacets,
  type Ads,
  type Category,
  type Comments,
  client,
  type ExtendedAd,
  type Sessions,
  type Status,
} from './client';
import { type PagesOptions, queryClient } from './query';

type Options<Data> = QueryObserverOptions<Data, Error, Data, Data, QueryKey>;

const MINUTE = 60_000;

export const categoriesQuery = (): Options<Category[]> => ({
  queryKey: ['categories'],
  queryFn: async ({ signal }) => (await client.listCategories({ signal })).results,
  staleTime: 5 * MINUTE,
});

export const schemaQuery = (slug: string): Options<Record<string, unknown>> => ({
  queryKey: ['schema', slug],
  queryFn: ({ signal }) => client.getCategorySchema(slug, { signal }),
  staleTime: 5 * MINUTE,
  enabled: slug !== '',
});

export const newestQuery = (parameters: ListParameters = {}): Options<Ads> => ({
  queryKey: ['ads', 'some', parameters],
  queryFn: ({ signal }) => client.listAds(parameters, { signal }),
});

export const PAGE_SIZE = 24;

export const resultsQuery = (parameters: ListParameters): PagesOptions<Ads> => ({
  queryKey: ['ads', 'results', parameters],
  queryFn: ({ pageParam, signal }) =>
    client.listAds(
      { ...parameters, limit: PAGE_SIZE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
      { signal },
    ),
  initialPageParam: undefined,
  getNextPageParam: (page) => page.next ?? undefined,
  // On the way back the list must be as long as it was.
  refetchOnMount: false,
  staleTime: MINUTE,
});

export const facetsQuery = (parameters: ListParameters): Options<AdFacets> => {
  const { sort: _sort, limit: _limit, ...filters } = parameters;
  return {
    queryKey: ['ads', 'facets', filters],
    queryFn: ({ signal }) => client.countAds(filters, { signal }),
    staleTime: MINUTE,
    placeholderData: (previous) => previous,
  };
};

export const detailsQuery = (id: number): Options<AdDetails> => ({
  queryKey: ['ad', id, 'details'],
  queryFn: ({ signal }) => client.getAdDetails(id, { signal }),
});

/** With the contact, and for its author also while nobody else sees it. */
export const adQuery = (id: number, enabled: boolean): Options<ExtendedAd> => ({
  queryKey: ['ad', id, 'full'],
  queryFn: ({ signal }) => client.getAd(id, { signal }),
  enabled,
});

export const commentsQuery = (id: number): PagesOptions<Comments> => ({
  queryKey: ['ad', id, 'comments'],
  queryFn: ({ pageParam, signal }) =>
    client.listComments(
      id,
      { limit: 20, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
      { signal },
    ),
  initialPageParam: undefined,
  getNextPageParam: (page) => page.next ?? undefined,
});

export const myAdsQuery = (status: Status | null): PagesOptions<Ads> => ({
  queryKey: ['mine', status],
  queryFn: ({ pageParam, signal }) =>
    client.listMyAds(
      {
        limit: PAGE_SIZE,
        ...(status === null ? {} : { status: [status] }),
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      },
      { signal },
    ),
  initialPageParam: undefined,
  getNextPageParam: (page) => page.next ?? undefined,
  staleTime: 0,
});

export const sessionsQuery = (): Options<Sessions> => ({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => client.listMySessions({ signal }),
  staleTime: 0,
});

/** After a change of one ad: it and every list that may show it is asked for anew. */
export function forgetAd(id: number): void {
  // A page that comes next must not begin with what was there before.
  queryClient.removeQueries({ queryKey: ['ad', id], type: 'inactive' });
  void queryClient.invalidateQueries({ queryKey: ['ad', id] });
  forgetLists();
}

export function forgetLists(): void {
  void queryClient.invalidateQueries({ queryKey: ['ads'] });
  void queryClient.invalidateQueries({ queryKey: ['mine'] });
  void queryClient.invalidateQueries({ queryKey: ['categories'] });
}
