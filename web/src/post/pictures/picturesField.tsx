/** Up to so many pictures: chosen or dropped, checked at once, and sent while the person goes on. */
import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { errorAt, type Fault } from '../../data/fault';
import { faultText, fieldText } from '../../data/faultText';
import { limit } from '../../data/site';
import { Icon } from '../../elements/icon';
import { t } from '../../i18n';
import { formatNumber } from '../../i18n/format';
import { kindOf } from './check';
import { PictureList } from './pictureList';
import { shrink, toJpeg } from './shrink';
import { chosen, type Picture, type Uploads } from './uploads';

// Not HEIC: iPhones send JPEG instead then.
const ACCEPTED = 'image/jpeg,image/png,image/webp,image/avif,image/gif';
const MEGA = 1_000_000;

export function PicturesField({
  uploads,
  error: refusal,
  id,
}: {
  uploads: Uploads;
  error?: string | undefined;
  id: string;
}): JSX.Element {
  const [left, setLeft] = useState<string[]>([]);
  const most = limit('adImagesMax', 12);
  const room = most - uploads.pictures.value.length;
  const hint = useId();
  const faults = [...left, ...(refusal ? [refusal] : [])];

  /** The files before; the control stays enabled meanwhile, for a disabled one loses the focus. */
  const before = useRef(Promise.resolve());
  const add = (files: readonly File[]): void => {
    const next = (): Promise<void> => prepare(files);
    before.current = before.current.then(next, next);
  };

  async function prepare(files: readonly File[]): Promise<void> {
    uploads.preparing.value = true;
    setLeft([]);
    const refused: string[] = [];
    const added: Picture[] = [];
    const free = most - uploads.pictures.peek().length;
    // One after another: a phone has no memory for twelve photos at once.
    for (const file of files) {
      const found = added.length < free ? await prepared(file) : t('problem.too-many-images');
      if (typeof found === 'string') refused.push(found);
      else added.push(chosen(found, file.name));
    }
    setLeft([...new Set(refused)]);
    if (added.length > 0) uploads.add(added);
    uploads.preparing.value = false;
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
        add(files);
      }}
    >
      <div class="label">
        <label for={id}>{t('form.pictures')}</label>
      </div>
      <span class="file drop">
        <input
          id={id}
          type="file"
          accept={ACCEPTED}
          multiple
          disabled={room <= 0}
          aria-describedby={faults.length > 0 ? `${hint} ${id}-error` : hint}
          {...(faults.length > 0 ? { 'aria-invalid': 'true' as const } : {})}
          onChange={(event) => {
            const input = event.currentTarget;
            const files = [...(input.files ?? [])];
            // The same file may be chosen again after it was removed.
            input.value = '';
            add(files);
          }}
        />
        <span class="file-words" aria-hidden="true">
          <Icon name="camera" size={24} />
          {t('form.addPictures')}
        </span>
      </span>
      <p class="hint" id={hint}>
        {uploads.preparing.value ? t('form.preparing') : t('form.picturesHint', { count: most })}
      </p>
      <div id={`${id}-error`} aria-live="polite">
        {faults.map((text) => (
          <p class="error" key={text}>
            {text}
          </p>
        ))}
      </div>
      <PictureList uploads={uploads} />
    </div>
  );
}

/** What is sent of a file; or why it is not taken. */
async function prepared(file: File): Promise<Blob | string> {
  const most = limit('imageMaxBytes', 10 * MEGA);
  // A photo gets smaller by far before it is sent.
  if (file.size > 8 * most)
    return t('form.tooLarge', { name: file.name, size: formatNumber(Math.round((8 * most) / MEGA)) });
  const kind = await kindOf(file);
  if (kind !== 'heic' && kind !== 'other') return shrink(file);
  return (await toJpeg(file)) ?? t(kind === 'heic' ? 'form.heic' : 'form.noPicture', { name: file.name });
}

/** The fault of the pictures: of the part of the form, of their kind or of their size. */
export function pictureError(fault: Fault | null): string | undefined {
  const error = errorAt(fault, 'image');
  if (error) return fieldText(error);
  return fault && (fault.status === 413 || fault.status === 415) ? faultText(fault) : undefined;
}
