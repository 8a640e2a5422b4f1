import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Image } from '../../data/client';
import { FaultNotice } from '../../elements/notice';
import { fieldId } from '../form/summary';
import { PicturesField } from './picturesField';
import { stored, Uploads } from './uploads';

/** The pictures of an existing ad: each change is stored at once. */
export function StoredPictures({
  id,
  images,
  error,
  onChanged,
}: {
  id: number;
  images: Image[];
  error: string | undefined;
  onChanged: () => Promise<void>;
}): JSX.Element {
  const changed = useRef(onChanged);
  changed.current = onChanged;
  const [uploads] = useState(
    () =>
      new Uploads(
        () => Promise.resolve(id),
        images.map(stored),
        images.map((image) => image.id),
        (atService) => {
          if (atService) void changed.current();
        },
      ),
  );
  useEffect(() => () => uploads.end(), []);
  return (
    <>
      <PicturesField id={fieldId('image')} uploads={uploads} error={error} />
      <FaultNotice fault={uploads.fault.value} />
    </>
  );
}
