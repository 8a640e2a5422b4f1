import { InfiniteQueryObserver } from '@tanstack/query-core';
import { ProblemError } from 'adsvc-client';
import { afterEach, expect, it, vi } from 'vitest';
import { allOf, paged } from '../src/data/queries';
import { queryClient } from '../src/data/query';

const KEY = ['a list'];

function refusal(status: number, slug: string): ProblemError {
  const problem = { type: `/problems#${slug}`, title: '', status, detail: '', instance: '' };
  return new ProblemError(problem, { status, headers: new Headers(), etag: undefined, requestId: undefined });
}

/** The list of pages 1 and 2, whose cursors are those of `secret`. */
function listOf(refused: ProblemError) {
  let secret = 'a';
  const asked: (string | undefined)[] = [];
  const ask = async ({ cursor }: { cursor?: string }) => {
    asked.push(cursor);
    if (cursor === undefined) return { results: [1], next: `${secret}2` };
    if (!cursor.startsWith(secret)) throw refused;
    return { results: [2], next: null };
  };
  const observer = new InfiniteQueryObserver(
    queryClient,
    queryClient.defaultQueryOptions(paged(KEY, ask)) as never,
  );
  const stop = observer.subscribe(() => undefined);
  const change = (): void => {
    secret = 'b';
  };
  return { observer, asked, change, stop };
}

afterEach(() => queryClient.clear());

it('a list begins anew where it does not go on from a cursor', async () => {
  const { observer, asked, change, stop } = listOf(refusal(410, 'cursor-expired'));
  await vi.waitFor(() => expect(observer.getCurrentResult().isSuccess).toBe(true));
  change();
  await observer.fetchNextPage();
  await vi.waitFor(() => expect(asked).toEqual([undefined, 'a2', undefined]));
  await vi.waitFor(() => expect(observer.getCurrentResult().isFetching).toBe(false));
  expect(observer.getCurrentResult().isError).toBe(false);
  await observer.fetchNextPage();
  const { pages } = observer.getCurrentResult().data as unknown as { pages: { results: number[] }[] };
  expect(pages.flatMap((page) => page.results)).toEqual([1, 2]);
  stop();
});

it('another refusal of a page is shown', async () => {
  const { observer, asked, change, stop } = listOf(refusal(400, 'invalid-request'));
  await vi.waitFor(() => expect(observer.getCurrentResult().isSuccess).toBe(true));
  change();
  await observer.fetchNextPage();
  expect(observer.getCurrentResult().isFetchNextPageError).toBe(true);
  expect(asked).toEqual([undefined, 'a2']);
  stop();
});

it('all records of a list are those of all its pages', async () => {
  const asked: (string | undefined)[] = [];
  const found = await allOf(async ({ cursor }) => {
    asked.push(cursor);
    return cursor === undefined ? { results: [2, 1], next: 'a' } : { results: [0], next: null };
  });
  expect(found.results).toEqual([2, 1, 0]);
  expect(asked).toEqual([undefined, 'a']);
});
