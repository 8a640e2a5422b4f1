import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { client, type Image } from '../../data/client';
import { gone } from '../../data/fault';
import { FaultNotice } from '../../elements/notice';
import { t } from '../../i18n';
import { formatNumber } from '../../i18n/format';
import { fieldId } from '../form/summary';
import { move } from './pictureList';
import { type Picture, PicturesField, pictureError, toFiles } from './picturesField';

/** The pictures of an existing ad: each change is stored at once. */
export function StoredPictures({
  id,
  images,
  onChanged,
}: {
  id: number;
  images: Image[];
  onChanged: () => Promise<void>;
}): JSX.Element {
  const [part, setPart] = useState<number | null>(null);
  const add = useAction(async (pictures: Picture[]) => {
    try {
      await client.addAdImages(id, toFiles(pictures), {
        onProgress: ({ loaded, total }) => setPart(total > 0 ? loaded / total : 0),
      });
    } finally {
      setPart(null);
    }
    await onChanged();
  });
  const order = useAction(
    async (ids: number[]) => {
      await client.orderAdImages(id, { order: ids });
      await onChanged();
    },
    { repeatable: true },
  );
  const remove = useAction(
    async (imageId: number) => {
      await gone(client.deleteAdImage(id, imageId));
      await onChanged();
    },
    { repeatable: true },
  );
  const ids = images.map((image) => image.id);
  const fault = add.fault ?? order.fault ?? remove.fault;
  return (
    <>
      <PicturesField
        id={fieldId('image')}
        shown={images.map((image) => ({
          key: String(image.id),
          url: image.variants.thumb?.path ?? image.image,
        }))}
        error={pictureError(add.fault)}
        onAdd={(pictures) => void (pictures.length > 0 && add.run(pictures))}
        onMove={(from, to) => void order.run(move(ids, from, to))}
        onRemove={(key) => void remove.run(Number(key))}
      />
      {part !== null && (
        <p role="status" class="faint">
          {t('post.sending')} {formatNumber(Math.round(part * 100))} %
        </p>
      )}
      {!pictureError(add.fault) && <FaultNotice fault={fault} />}
    </>
  );
}
