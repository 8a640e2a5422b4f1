/** What the inbox shows. All keys begin with `talk`: whatever the stream brings loads it anew. */
import type { InfiniteData } from '@tanstack/query-core';
import {
  type Blocks,
  type Conversation,
  type Conversations,
  client,
  type Deal,
  type Deals,
  type Message,
  type Messages,
  type Ratings,
} from '../data/client';
import { allOf, type Options, paged } from '../data/queries';
import { type PagesOptions, queryClient } from '../data/query';
import { pageOf } from '../data/site';

export interface Chosen {
  unread?: true;
  ad?: number;
}

export const conversationsQuery = (chosen: Chosen): PagesOptions<Conversations> => ({
  ...paged(['talk', 'list', chosen], (from, options) =>
    client.listConversations({ limit: pageOf(20), ...chosen, ...from }, options),
  ),
  staleTime: 0,
});

export const conversationQuery = (id: number): Options<Conversation> => ({
  queryKey: ['talk', 'one', id],
  queryFn: ({ signal }) => client.getConversation(id, { signal }),
  staleTime: 0,
});

const messagesKey = (id: number): readonly unknown[] => ['talk', 'messages', id];

export const messagesQuery = (id: number): PagesOptions<Messages> => ({
  ...paged(messagesKey(id), (from, options) =>
    client.listMessages(id, { limit: pageOf(30), ...from }, options),
  ),
  staleTime: 0,
});

/** The caller's conversation about an ad, if there is one and it is not hidden. */
export const aboutQuery = (ad: number): Options<Conversation | null> => ({
  queryKey: ['talk', 'about', ad],
  queryFn: async ({ signal }) =>
    (await client.listConversations({ ad, limit: 1 }, { signal })).results[0] ?? null,
  staleTime: 0,
});

export const blocksQuery = (): Options<Pick<Blocks, 'results'>> => ({
  queryKey: ['talk', 'blocks'],
  queryFn: ({ signal }) => allOf((from) => client.listMyBlocks(from, { signal })),
  staleTime: 0,
});

export const dealsQuery = (): PagesOptions<Deals> => ({
  ...paged(['talk', 'deals'], (from, options) => client.listMyDeals({ limit: pageOf(20), ...from }, options)),
  staleTime: 0,
});

/** The caller's deal about an ad, if there is one. */
export const dealQuery = (ad: number): Options<Deal | null> => ({
  queryKey: ['talk', 'deal', ad],
  queryFn: async ({ signal }) => (await client.listMyDeals({ ad, limit: 1 }, { signal })).results[0] ?? null,
  staleTime: 0,
});

export const ratingsQuery = (seller: number): PagesOptions<Ratings> =>
  paged(['talk', 'ratings', seller], (from, options) =>
    client.listRatings(seller, { limit: pageOf(10), ...from }, options),
  );

/** Shows a message that was just sent, before the list is loaded anew. */
export function showSent(message: Message): void {
  queryClient.setQueryData<InfiniteData<Messages>>(messagesKey(message.conversation), (all) => {
    const [first, ...others] = all?.pages ?? [];
    if (!all || !first || first.results.some(({ id }) => id === message.id)) return all;
    return { ...all, pages: [{ ...first, results: [message, ...first.results] }, ...others] };
  });
}

/** Who has written to the author about an ad: the conversations with accounts that are still there. */
export const talkersQuery = (ad: number): Options<Conversation[]> => ({
  queryKey: ['talk', 'talkers', ad],
  queryFn: async ({ signal }) => {
    const { results } = await client.listConversations({ ad, limit: pageOf(100) }, { signal });
    return results.filter(({ role, other }) => role === 'seller' && other !== null);
  },
  staleTime: 0,
});
