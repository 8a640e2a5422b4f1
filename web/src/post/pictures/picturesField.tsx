/** Up to so many pictures: chosen or dropped, and shown before they are sent. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { newKey } from '../../data/action';
import { errorAt, type Fault } from '../../data/fault';
import { faultText, fieldText } from '../../data/faultText';
import { limit } from '../../data/site';
import { t } from '../../i18n';
import { PictureList, type Shown } from './pictureList';
import { shrink } from './shrink';

const ACCEPTED = 'image/jpeg,image/png,image/webp';

export interface Picture {
  /** An id within this page. */
  key: string;
  name: string;
  blob: Blob;
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
    // Pictures beyond the limit are left out, with a notice.
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

/** The fault of the pictures: of the part of the form, of their kind or of their size. */
export function pictureError(fault: Fault | null): string | undefined {
  const error = errorAt(fault, 'image');
  if (error) return fieldText(error);
  return fault && (fault.status === 413 || fault.status === 415) ? faultText(fault) : undefined;
}

/** Addresses to show pictures that are not stored yet. */
export function useObjectUrls(pictures: readonly Picture[]): Shown[] {
  const urls = useRef(new Map<string, string>());
  useEffect(
    () => () => {
      for (const url of urls.current.values()) URL.revokeObjectURL(url);
      urls.current.clear();
    },
    [],
  );
  return pictures.map(({ key, blob }) => {
    const url = urls.current.get(key) ?? URL.createObjectURL(blob);
    urls.current.set(key, url);
    return { key, url };
  });
}

export function toFiles(pictures: readonly Picture[]): File[] {
  return pictures.map(({ blob, name }) => new File([blob], name, { type: blob.type }));
}
