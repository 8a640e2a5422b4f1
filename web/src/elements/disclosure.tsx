import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A button that gives way to a form. The focus goes into the form, and back to the button when the form closes. */
export function Disclosure({
  label,
  name,
  look,
  open: initially = false,
  children,
}: {
  label: string;
  /** What screen readers say, where several buttons have the same label. */
  name?: string | undefined;
  look?: 'plain' | 'primary' | 'danger' | undefined;
  /** Whether the form is there from the beginning. */
  open?: boolean;
  children: (close: () => void) => ComponentChildren;
}): JSX.Element {
  const [open, setOpen] = useState(initially);
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef(open);
  useLayoutEffect(() => {
    if (shown.current === open) return;
    shown.current = open;
    box.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  }, [open]);
  return (
    <div class="disclosure" ref={box}>
      {open ? (
        children(() => setOpen(false))
      ) : (
        <button type="button" class={look} aria-label={name} onClick={() => setOpen(true)}>
          {label}
        </button>
      )}
    </div>
  );
}
