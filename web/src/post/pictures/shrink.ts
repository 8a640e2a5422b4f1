/** Huge photos are made smaller before they are sent, and other kinds become JPEG: the service stores 2,048 pixels at most. */

const LONG_SIDE = 2048;
/** Below this a file is sent as it is: encoding it once more would only cost quality. */
const SMALL_ENOUGH = 1_500_000;
const QUALITY = 0.87;

export function fitInto(width: number, height: number, side: number): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** As JPEG, or null if the browser cannot decode it. */
export async function toJpeg(file: File): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const { width, height } = fitInto(bitmap.width, bitmap.height, LONG_SIDE);
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d');
    if (!context) return null;
    // JPEG would show what is transparent in black.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  } catch {
    return null;
  }
}

/** The smaller picture; or the file itself if it is small or the browser cannot decode it. */
export async function shrink(file: File): Promise<Blob> {
  if (file.size <= SMALL_ENOUGH || !file.type.startsWith('image/')) return file;
  const smaller = await toJpeg(file);
  // The service says what is wrong with one that cannot be decoded.
  return smaller && smaller.size < file.size ? smaller : file;
}
