import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n';
import { Icon } from './icon';

/** Does what takes long once the browser has shown what the press did; returns how to prevent it. */
export function afterPaint(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(work);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** A dialog that comes from below. The browser keeps the focus in it, and gives it back when it is closed. */
export function Sheet({
  title,
  begins = '',
  footer,
  onClose,
  children,
}: {
  title: string;
  /** The element that has the focus first, as a selector; without one it is the first that can have it. */
  begins?: string;
  footer?: (close: () => void) => ComponentChildren;
  onClose: () => void;
  children: (close: () => void) => ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [ready, setReady] = useState(false);
  // The press is answered by the empty sheet, for what is in it may take longer.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    return afterPaint(() => setReady(true));
  }, []);
  useLayoutEffect(() => {
    const first = ready && begins && dialog.current?.querySelector<HTMLElement>(begins);
    if (!first) return;
    first.focus();
    first.scrollIntoView({ block: 'start' });
  }, [ready]);
  const close = (): void => dialog.current?.close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog already
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby={id}
      onClose={onClose}
      // A press beside the sheet is one on its backdrop.
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div class="sheet-frame">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon-only" onClick={close}>
            <Icon name="close" />
            <span class="unseen">{t('filter.close')}</span>
          </button>
        </header>
        <div class="sheet-body">{ready && children(close)}</div>
        {footer && <footer>{footer(close)}</footer>}
      </div>
    </dialog>
  );
}
