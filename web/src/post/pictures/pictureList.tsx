import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../elements/icon';
import { t } from '../../i18n';

export interface Shown {
  key: string;
  /** The address of the picture. */
  url: string;
}

/** Pictures in the order that people see them: put in order by dragging or by keys. */
export function PictureList({
  shown,
  onMove,
  onRemove,
}: {
  shown: Shown[];
  onMove: (from: number, to: number) => void;
  onRemove: (key: string) => void;
}): JSX.Element {
  const dragged = useRef<number | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');

  function shift(from: number, to: number): void {
    if (to < 0 || to >= shown.length) return;
    const name =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.act : undefined;
    onMove(from, to);
    setSaid(t('form.moved', { at: to + 1, count: shown.length }));
    // The focus goes with the picture, so that the same key moves it on.
    requestAnimationFrame(() => {
      const button = list.current?.children[to]?.querySelector<HTMLElement>(`[data-act="${name ?? 'back'}"]`);
      const other = list.current?.children[to]?.querySelector<HTMLElement>('button:not([disabled])');
      (button?.hasAttribute('disabled') ? other : button)?.focus();
    });
  }

  return (
    <>
      <ol class="picture-list" ref={list}>
        {shown.map((picture, index) => (
          <li
            key={picture.key}
            draggable
            onDragStart={(event) => {
              dragged.current = index;
              event.dataTransfer?.setData('text/plain', picture.key);
            }}
            onDragOver={(event) => {
              if (dragged.current !== null) event.preventDefault();
            }}
            onDrop={(event) => {
              if (dragged.current === null) return;
              event.preventDefault();
              event.stopPropagation();
              shift(dragged.current, index);
              dragged.current = null;
            }}
            onDragEnd={() => {
              dragged.current = null;
            }}
            onKeyDown={(event) => {
              const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
              if (step === undefined) return;
              event.preventDefault();
              shift(index, index + step);
            }}
          >
            <img src={picture.url} alt={t('form.picture', { at: index + 1 })} draggable={false} />
            {index === 0 && <span class="badge">{t('form.first')}</span>}
            <span class="picture-acts">
              <button
                type="button"
                data-act="back"
                disabled={index === 0}
                aria-label={t('form.moveBack', { at: index + 1 })}
                onClick={() => shift(index, index - 1)}
              >
                <Icon name="left" />
              </button>
              <button
                type="button"
                data-act="on"
                disabled={index === shown.length - 1}
                aria-label={t('form.moveOn', { at: index + 1 })}
                onClick={() => shift(index, index + 1)}
              >
                <Icon name="right" />
              </button>
              <button
                type="button"
                data-act="remove"
                aria-label={t('form.removePicture', { at: index + 1 })}
                onClick={() => onRemove(picture.key)}
              >
                <Icon name="close" />
              </button>
            </span>
          </li>
        ))}
      </ol>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
    </>
  );
}

/** A copy of the list with one element moved. */
export function move<Thing>(things: readonly Thing[], from: number, to: number): Thing[] {
  const moved = [...things];
  const [thing] = moved.splice(from, 1);
  if (thing !== undefined) moved.splice(to, 0, thing);
  return moved;
}
