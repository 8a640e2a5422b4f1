import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon';

/** What is done seldom, behind one button. It closes by a press beside it, and by Escape. */
export function Menu({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target }: MouseEvent): void => {
      // A button of the menu may have given way to a form.
      const beside = target instanceof Node && document.contains(target) && !menu.current?.contains(target);
      if (beside && menu.current) menu.current.open = false;
    };
    document.addEventListener('click', close);
    return () => document.removeEventListener('click', close);
  }, []);
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current) return;
        menu.current.open = false;
        menu.current.querySelector('summary')?.focus();
      }}
    >
      <summary aria-label={label}>
        <Icon name="more" />
      </summary>
      <div class="menu-items">{children}</div>
    </details>
  );
}
