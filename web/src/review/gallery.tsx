/** The pictures of an ad that is not shown, for administrators and its author: they may have no public address. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Gallery } from '../ad/gallery';
import { client, type Image } from '../data/client';

/** Without the pictures that cannot be fetched. */
export function ModeratedGallery({ images, title }: { images: Image[]; title: string }): JSX.Element {
  const [shown, setShown] = useState<Image[] | null>(null);
  const names = images.map(({ image }) => image).join();
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const urls: string[] = [];
    const fetched = images.map(async (picture): Promise<Image[]> => {
      const name = picture.image.slice(picture.image.lastIndexOf('/') + 1);
      try {
        const url = URL.createObjectURL(await client.getModeratedImage(name, { signal }));
        urls.push(url);
        return [{ ...picture, image: url, variants: {} }];
      } catch {
        return [];
      }
    });
    void Promise.all(fetched).then((found) => {
      if (!signal.aborted) setShown(found.flat());
    });
    return () => {
      ending.abort();
      urls.forEach(URL.revokeObjectURL);
    };
  }, [names]);
  if (shown?.length) return <Gallery images={shown} fallback="" title={title} />;
  return (
    <div class="gallery">
      <div class="stage" />
    </div>
  );
}
