/** What is loaded: one answer, and lists that come page by page. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { toFault } from '../data/fault';
import type { PagesResult } from '../data/query';
import { t } from '../i18n';
import { Empty, type EmptyProps, FaultNotice } from './notice';

/** What one answer shows. */
export function Loaded<Data>({
  result: { data, error },
  children,
}: {
  result: { data: Data | undefined; error: Error | null };
  children: (data: Data) => ComponentChildren;
}): JSX.Element {
  if (data !== undefined) return <>{children(data)}</>;
  return error ? <FaultNotice fault={toFault(error)} /> : <p class="loading">{t('loading')}</p>;
}

/** The loaded part of a list, and the means to load the rest. */
export function Listing<Item>({
  result,
  look,
  none,
  each,
}: {
  result: PagesResult<{ results: Item[] }>;
  look: string;
  /** Where there is nothing. */
  none: EmptyProps | string;
  each: (item: Item) => JSX.Element | null;
}): JSX.Element {
  if (result.isPending) return <p class="loading">{t('loading')}</p>;
  const items = result.data?.pages.flatMap((page) => page.results) ?? [];
  return (
    <>
      {result.error && <FaultNotice fault={toFault(result.error)} />}
      {result.data && items.length === 0 && <Empty {...(typeof none === 'string' ? { text: none } : none)} />}
      {items.length > 0 && <ul class={look}>{items.map(each)}</ul>}
      {result.hasNextPage && (
        <More
          busy={result.isFetchingNextPage}
          failed={result.isFetchNextPageError}
          onMore={() => void result.fetchNextPage()}
        />
      )}
    </>
  );
}

/** Asks for the next page when the end comes near; by keyboard, and after a failure, it is a button. */
export function More({
  busy,
  failed,
  onMore,
  label = t('results.more'),
}: {
  busy: boolean;
  failed: boolean;
  onMore: () => void;
  label?: string;
}): JSX.Element {
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  more.current = onMore;
  useEffect(() => {
    if (!end.current || busy || failed) return;
    const watching = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) more.current();
      },
      { rootMargin: '600px' },
    );
    watching.observe(end.current);
    return () => watching.disconnect();
  }, [busy, failed]);
  return (
    <div class="more" ref={end}>
      <button type="button" disabled={busy} onClick={onMore}>
        {busy ? t('loading') : label}
      </button>
    </div>
  );
}
