/** The requests of pages by their keys: the same request from two places is sent once. */
import type { QueryKey, QueryObserverOptions } from '@tanstack/query-core';
import type { ListParameters } from '../results/address';
import {
  type Accounts,
  type Ad,
  type AdDetails,
  type AdFacets,
  type AdMap,
  type Ads,
  type Case,
  type CaseStatus,
  type Cases,
  type Category,
  type Comments,
  client,
  type Decisions,
  type ExtendedAd,
  type Favorites,
  type Keys,
  type Notifications,
  type OwnAds,
  type Passkeys,
  type Place,
  type Preferences,
  type SavedSearches,
  type Seller,
  type Sessions,
  type Status,
  type Suggestion,
} from './client';
import { toFault } from './fault';
import { learnFavorites } from './favorites';
import { type PagesOptions, queryClient } from './query';
import { pageOf } from './site';

export type Options<Data> = QueryObserverOptions<Data, Error, Data, Data, QueryKey>;

const MINUTE = 60_000;

/**
 * A list that is loaded page by page: `ask` gets the cursor of the page. Where the list does not go on from it, all pages are
 * loaded anew from the first one.
 */
export function paged<Page extends { next: string | null }>(
  queryKey: QueryKey,
  ask: (from: { cursor?: string }, options: { signal: AbortSignal }) => Promise<Page>,
): PagesOptions<Page> {
  return {
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      try {
        return await ask(pageParam === undefined ? {} : { cursor: pageParam }, { signal });
      } catch (error) {
        if (pageParam !== undefined && toFault(error).slug === 'cursor-expired')
          void queryClient.refetchQueries({ queryKey, exact: true });
        throw error;
      }
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  };
}

/** All records of a list that is seldom longer than a page. */
export async function allOf<Item>(
  ask: (from: { cursor?: string }) => Promise<{ results: Item[]; next: string | null }>,
): Promise<{ results: Item[] }> {
  const results: Item[] = [];
  let from = {};
  for (;;) {
    const page = await ask(from);
    results.push(...page.results);
    if (page.next === null) return { results };
    from = { cursor: page.next };
  }
}

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

/** What to search for, for what is typed. */
export const suggestionsQuery = (q: string, enabled: boolean): Options<Suggestion[]> => ({
  queryKey: ['suggestions', q],
  queryFn: async ({ signal }) => (await client.suggestSearches(q ? { q } : {}, { signal })).results,
  staleTime: MINUTE,
  placeholderData: (previous) => previous,
  enabled,
});

/** Towns and postcodes that begin so. */
export const placesQuery = (q: string, enabled: boolean): Options<Place[]> => ({
  queryKey: ['places', q],
  queryFn: async ({ signal }) => (await client.findPlaces({ q }, { signal })).results,
  staleTime: 60 * MINUTE,
  placeholderData: (previous) => previous,
  enabled,
});

export const newestQuery = (parameters: ListParameters = {}): Options<Ads> => ({
  queryKey: ['ads', 'some', parameters],
  queryFn: ({ signal }) => client.listAds(parameters, { signal }),
});

export const PAGE_SIZE = pageOf(24);

export const resultsQuery = (parameters: ListParameters): PagesOptions<Ads> => ({
  ...paged(['ads', 'results', parameters], (from, options) =>
    client.listAds({ ...parameters, limit: PAGE_SIZE, ...from }, options),
  ),
  // While a map is moved, the ads before stay until the next have come.
  ...(parameters.bbox ? { placeholderData: (previous) => previous } : {}),
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

export const mapQuery = (parameters: ListParameters, bbox: string): Options<AdMap> => {
  const { sort: _sort, limit: _limit, ...filters } = parameters;
  return {
    queryKey: ['ads', 'map', filters, bbox],
    queryFn: ({ signal }) => client.mapAds({ ...filters, bbox }, { signal }),
    staleTime: MINUTE,
    placeholderData: (previous) => previous,
  };
};

export const detailsQuery = (id: number): Options<AdDetails> => ({
  queryKey: ['ad', id, 'details'],
  queryFn: ({ signal }) => client.getAdDetails(id, { signal }),
});

/** With the contact; for the author also while the ad is hidden from others. */
export const adQuery = (id: number, enabled: boolean): Options<ExtendedAd> => ({
  queryKey: ['ad', id, 'full'],
  queryFn: ({ signal }) => client.getAd(id, { signal }),
  enabled,
});

export const similarQuery = (id: number): Options<Ad[]> => ({
  queryKey: ['ad', id, 'similar'],
  queryFn: async ({ signal }) => (await client.listSimilarAds(id, { signal })).results,
  staleTime: MINUTE,
});

export const sellerQuery = (id: number): Options<Seller> => ({
  queryKey: ['seller', id],
  queryFn: ({ signal }) => client.getSeller(id, { signal }),
  staleTime: MINUTE,
});

export const commentsQuery = (id: number): PagesOptions<Comments> =>
  paged(['ad', id, 'comments'], (from, options) =>
    client.listComments(id, { limit: pageOf(20), ...from }, options),
  );

export const myAdsQuery = (status: Status | null): PagesOptions<OwnAds> => ({
  ...paged(['mine', status], (from, options) =>
    client.listMyAds(
      { limit: PAGE_SIZE, ...(status === null ? {} : { status: [status] }), ...from },
      options,
    ),
  ),
  staleTime: 0,
});

export const favoritesQuery = (): PagesOptions<Favorites> => ({
  ...paged(['favorites'], async (from, options) => {
    const page = await client.listMyFavorites({ limit: PAGE_SIZE, ...from }, options);
    learnFavorites(page.results.map(({ pk }) => pk));
    return page;
  }),
  staleTime: 0,
});

export const searchesQuery = (): Options<Pick<SavedSearches, 'results'>> => ({
  queryKey: ['searches'],
  queryFn: ({ signal }) => allOf((from) => client.listMySearches(from, { signal })),
  staleTime: 0,
});

export const notificationsQuery = (): PagesOptions<Notifications> => ({
  ...paged(['notifications'], (from, options) =>
    client.listMyNotifications({ limit: PAGE_SIZE, ...from }, options),
  ),
  staleTime: 0,
});

export const preferencesQuery = (): Options<Preferences> => ({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => client.getMyPreferences({ signal }),
  staleTime: 0,
});

export const sessionsQuery = (): Options<Sessions> => ({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => client.listMySessions({ signal }),
  staleTime: 0,
});

export const passkeysQuery = (): Options<Passkeys> => ({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => client.listMyPasskeys({ signal }),
});

export const keysQuery = (): Options<Keys> => ({
  queryKey: ['keys'],
  queryFn: ({ signal }) => client.listMyKeys({ signal }),
  staleTime: 0,
});

export const myDecisionsQuery = (): PagesOptions<Decisions> => ({
  ...paged(['decisions'], (from, options) => client.listMyDecisions(from, options)),
  staleTime: 0,
});

export const casesQuery = (status: CaseStatus): PagesOptions<Cases> => ({
  ...paged(['cases', status], (from, options) => client.listCases({ status, ...from }, options)),
  staleTime: 0,
});

export const caseQuery = (id: number): Options<Case> => ({
  queryKey: ['case', id],
  queryFn: ({ signal }) => client.getCase(id, { signal }),
  staleTime: 0,
  // A decision is based on this very object: copies have no ETag.
  structuralSharing: false,
});

/** The thumbnail of a picture that may be hidden, or the picture itself if it has none; for moderators and its author. */
export const moderatedPictureQuery = (path: string): Options<Blob> => ({
  queryKey: ['moderatedPicture', path],
  queryFn: async ({ signal }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const thumbnail = name.replace(/(-thumb)?\.\w+$/, '-thumb.webp');
    try {
      return await client.getModeratedImage(thumbnail, { signal });
    } catch (error) {
      // Pictures of older versions have no thumbnail.
      if (thumbnail === name || toFault(error).status !== 404) throw error;
      return client.getModeratedImage(name, { signal });
    }
  },
  // A name never changes its content.
  staleTime: Number.POSITIVE_INFINITY,
});

export type AccountsQuery = Pick<NonNullable<Parameters<typeof client.listUsers>[0]>, 'q'>;

export const accountsQuery = (query: AccountsQuery): PagesOptions<Accounts> => ({
  ...paged(['accounts', query], (from, options) => client.listUsers({ ...query, ...from }, options)),
  staleTime: 0,
});

export const forgetSearches = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['searches'] });

/** After a decision: the case, and the queue that it was in. */
export function forgetCase(id: number): void {
  void queryClient.invalidateQueries({ queryKey: ['case', id] });
  void queryClient.invalidateQueries({ queryKey: ['cases'] });
}

/**
 * After a change of one ad: the ad and every list that may show it are loaded anew. What all people see of an ad is not
 * loaded when it is `hidden` from them: that is refused.
 */
export function forgetAd(id: number, hidden = false): void {
  // The next page must not begin with the old state.
  queryClient.removeQueries({ queryKey: ['ad', id], type: 'inactive' });
  void queryClient.invalidateQueries({ queryKey: ['ad', id], refetchType: hidden ? 'none' : 'active' });
  if (hidden) void queryClient.refetchQueries({ queryKey: ['ad', id, 'full'] });
  forgetLists();
}

export async function forgetLists(): Promise<void> {
  const lists = ['ads', 'mine', 'categories'];
  await Promise.all(lists.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}
