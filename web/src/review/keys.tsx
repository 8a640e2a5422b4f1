/** Moderation by keyboard: from case to case, and a key for each decision. */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../app/router';
import type { Case } from '../data/client';
import { casesQuery } from '../data/queries';
import { usePages } from '../data/query';
import { Check } from '../elements/field';
import { type MessageKey, t } from '../i18n';

const OFF = 'moderation-keys-off';

function areOff(): boolean {
  try {
    return localStorage.getItem(OFF) !== null;
  } catch {
    return false; // Storage may be switched off.
  }
}

/** Single keys, which do nothing while a person types, or has switched them off. */
export function useKeys(keys: Record<string, (() => void) | undefined>): void {
  const known = useRef(keys);
  known.current = keys;
  // With the page itself: keys follow each other faster than effects after it is drawn.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target, key } = event;
      // A dialog that was closed keeps the focus until the next frame.
      const typing =
        target instanceof Element &&
        target.closest('input, select, textarea, dialog') !== null &&
        target.checkVisibility();
      if (typing || event.ctrlKey || event.metaKey || event.altKey || areOff()) return;
      const work = known.current[key];
      if (!work) return;
      event.preventDefault();
      work();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** The case before and the one after, in the queue that this one is in. */
export function useNeighbours({ id, status }: Pick<Case, 'id' | 'status'>): {
  before: number | undefined;
  after: number | undefined;
} {
  const result = usePages(casesQuery(status === 'appealed' ? 'appealed' : 'open'));
  const ids = result.data?.pages.flatMap((page) => page.results.map((one) => one.id)) ?? [];
  const here = ids.indexOf(id);
  const isLast = here >= 0 && here === ids.length - 1;
  useEffect(() => {
    if (isLast && result.hasNextPage && !result.isFetchingNextPage) void result.fetchNextPage();
  }, [isLast, result.hasNextPage]);
  return { before: here > 0 ? ids[here - 1] : undefined, after: ids[here + 1] };
}

export const openCase = (id: number | undefined): void =>
  navigate(id === undefined ? '/review' : `/review/${id}`);

const HELP: [string, MessageKey][] = [
  ['j', 'review.keyNext'],
  ['k', 'review.keyBack'],
  ['1', 'action.dismiss'],
  ['2', 'review.keyHide'],
  ['3', 'action.removeAd'],
  ['4', 'action.suspendAccount'],
  ['Ctrl + Enter', 'review.keySend'],
  ['?', 'review.keyHelp'],
];

export function KeyHelp(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(() => !areOff());
  const show = (): void => dialog.current?.showModal();
  useKeys({ '?': show });
  return (
    <>
      <button type="button" class="plain key-help" onClick={show}>
        {t('review.helpOpen')}
      </button>
      <dialog ref={dialog} aria-labelledby="key-help">
        <h2 id="key-help">{t('review.help')}</h2>
        <dl class="keys">
          {HELP.map(([key, text]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{t(text)}</dd>
            </div>
          ))}
        </dl>
        <Check
          label={t('review.keysOn')}
          value={on}
          onValue={(next) => {
            setOn(next);
            try {
              if (next) localStorage.removeItem(OFF);
              else localStorage.setItem(OFF, '1');
            } catch {
              // It is kept until the page is closed.
            }
          }}
        />
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            {t('review.helpClose')}
          </button>
        </div>
      </dialog>
    </>
  );
}
