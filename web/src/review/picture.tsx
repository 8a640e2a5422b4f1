/** Pictures as moderators and the author see them: those of hidden ads have no public address. */
import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { moderatedPictureQuery } from '../data/queries';
import { useQuery } from '../data/query';

/** The thumbnail of a picture, or its place. `path` is the public path of the picture or of its thumbnail. */
export function ModeratedPicture({
  path,
  ...size
}: {
  path: string | null | undefined;
  width: number;
  height: number;
}): JSX.Element {
  const { data } = useQuery({ ...moderatedPictureQuery(path ?? ''), enabled: Boolean(path) });
  const [src, setSrc] = useState<string | null>(null);
  useLayoutEffect(() => {
    if (!data) return;
    const url = URL.createObjectURL(data);
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [data]);
  if (!src) return <svg class="thumb" aria-hidden="true" {...size} />;
  return <img class="thumb" src={src} alt="" {...size} />;
}
