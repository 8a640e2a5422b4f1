/** What a file is, by its first bytes: its name and type say what somebody called it. */
export type Kind = 'jpeg' | 'png' | 'webp' | 'heic' | 'other';

export async function kindOf(file: Blob): Promise<Kind> {
  const head = new Uint8Array(await file.slice(0, 12).arrayBuffer());
  const text = String.fromCharCode(...head);
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG')) return 'png';
  if (text.startsWith('RIFF') && text.endsWith('WEBP')) return 'webp';
  return /^....ftyp(?:hei|hev|mif1|msf1)/s.test(text) ? 'heic' : 'other';
}
