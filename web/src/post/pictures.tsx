/** Up to so many pictures: chosen or dropped, shown before they are sent, put in order by dragging or by keys. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { newKey } from '../data/keys';
import { limit } from '../data/site';
import { Icon } from '../elements/icon';
import { t } from '../i18n';
import type { Picture } from './draft';
import { move } from './order';
import { shrink } from './shrink';

const ACCEPTED = 'image/jpeg,image/png,image/webp';

export interface Shown {
  key: string;
  /** An address to show it by. */
  url: string;
  name: string;
}

export function PicturesField({
  shown,
  onAdd,
  onMove,
  onRemove,
  error: refusal,
  id,
}: {
  shown: Shown[];
  onAdd: (pictures: Picture[]) => void;
  onMove: (from: number, to: number) => void;
  onRemove: (key: string) => void;
  error?: string | undefined;
  id: string;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const most = limit('adImagesMax', 12);
  const room = most - shown.length;
  const hint = useId();
  const [tooMany, setTooMany] = useState(false);
  const error = refusal ?? (tooMany && room <= 0 ? t('problem.too-many-images') : undefined);

  async function add(files: readonly File[]): Promise<void> {
    setBusy(true);
    // Those that have no room are left out, and that is told.
    setTooMany(files.length > room);
    const added: Picture[] = [];
    // One after another: a phone has no memory for twelve photos at once.
    for (const file of files.slice(0, room))
      added.push({ key: newKey(), name: file.name, blob: await shrink(file) });
    setBusy(false);
    onAdd(added);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop files, beside the control that takes them
    <div
      class="field pictures-field"
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
      }}
      onDrop={(event) => {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return;
        event.preventDefault();
        void add(files);
      }}
    >
      <div class="label">
        <label for={id}>{t('form.pictures')}</label>
      </div>
      <input
        id={id}
        type="file"
        accept={ACCEPTED}
        multiple
        disabled={room <= 0 || busy}
        aria-describedby={error ? `${hint} ${id}-error` : hint}
        {...(error ? { 'aria-invalid': 'true' as const } : {})}
        onChange={(event) => {
          const input = event.currentTarget;
          const files = [...(input.files ?? [])];
          // The same file may be chosen again after it was removed.
          input.value = '';
          void add(files);
        }}
      />
      <p class="hint" id={hint}>
        {busy ? t('form.preparing') : t('form.picturesHint', { count: most })}
      </p>
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
      <PictureList {...{ shown, onMove, onRemove }} />
    </div>
  );
}

function PictureList({
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

/** Addresses for pictures that only this page has. */
export function useObjectUrls(pictures: readonly Picture[]): Shown[] {
  const urls = useRef(new Map<string, string>());
  useEffect(
    () => () => {
      for (const url of urls.current.values()) URL.revokeObjectURL(url);
      urls.current.clear();
    },
    [],
  );
  return pictures.map(({ key, name, blob }) => {
    const url = urls.current.get(key) ?? URL.createObjectURL(blob);
    urls.current.set(key, url);
    return { key, url, name };
  });
}

export { move };
