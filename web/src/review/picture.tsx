import type { JSX } from 'preact';

/** A case has the path of a picture only; its thumbnail lies beside it. An old picture has none. */
export function SmallPicture({
  path,
  ...size
}: {
  path: string;
  width: number;
  height: number;
}): JSX.Element {
  return (
    <img
      src={path.replace(/\.\w+$/, '-thumb.webp')}
      alt=""
      {...size}
      loading="lazy"
      onError={({ currentTarget }) => {
        if (!currentTarget.src.endsWith(path)) currentTarget.src = path;
      }}
    />
  );
}
