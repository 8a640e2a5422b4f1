/** TanStack's query core for Preact: answers are cached, shared and refetched when they are old. */
import {
  type InfiniteData,
  InfiniteQueryObserver,
  type InfiniteQueryObserverOptions,
  type InfiniteQueryObserverResult,
  QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
  type QueryObserverResult,
} from '@tanstack/query-core';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { mayRetry, retryDelay } from './connection';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: mayRetry,
      retryDelay,
      staleTime: 15_000,
      gcTime: 10 * 60_000,
      networkMode: 'always',
    },
  },
});

const count = (n: number): number => n + 1;

export function useQuery<Data>(
  options: QueryObserverOptions<Data, Error, Data, Data, QueryKey>,
): QueryObserverResult<Data, Error> {
  const defaulted = queryClient.defaultQueryOptions(options);
  defaulted._optimisticResults = 'optimistic';
  const [observer] = useState(
    () => new QueryObserver<Data, Error, Data, Data, QueryKey>(queryClient, defaulted),
  );
  const [, rerender] = useReducer(count, 0);
  useEffect(() => observer.subscribe(() => rerender(undefined)), [observer]);
  useEffect(() => observer.setOptions(defaulted));
  return observer.getOptimisticResult(defaulted);
}

type Pages<Page> = InfiniteData<Page, string | undefined>;
export type PagesOptions<Page> = InfiniteQueryObserverOptions<
  Page,
  Error,
  Pages<Page>,
  QueryKey,
  string | undefined
>;

export type PagesResult<Page> = InfiniteQueryObserverResult<Pages<Page>, Error>;

export function usePages<Page>(options: PagesOptions<Page>): PagesResult<Page> {
  const defaulted = queryClient.defaultQueryOptions(options) as PagesOptions<Page> & {
    queryHash: string;
  };
  const [observer] = useState(
    () =>
      new InfiniteQueryObserver<Page, Error, Pages<Page>, QueryKey, string | undefined>(
        queryClient,
        defaulted,
      ),
  );
  const [, rerender] = useReducer(count, 0);
  useEffect(() => observer.subscribe(() => rerender(undefined)), [observer]);
  useEffect(() => observer.setOptions(defaulted));
  return observer.getOptimisticResult(
    defaulted as Parameters<typeof observer.getOptimisticResult>[0],
  ) as PagesResult<Page>;
}
