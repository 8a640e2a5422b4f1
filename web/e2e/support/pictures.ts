/** Pictures of any size, as PNG, made without a library. */
import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body) >>> 0);
  return Buffer.concat([length, body, check]);
}

/** With noise it does not get smaller by compression, as a photo does not. */
export function png(width: number, height: number, seed = 1, noise = false): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let state = seed;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      const grain = noise ? (state >> 16) & 0x7f : 0;
      rows[at] = ((seed * 67) & 0x7f) + grain;
      rows[at + 1] = Math.round((y / height) * 120) + grain;
      rows[at + 2] = Math.round((x / width) * 120) + grain;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const file = (name: string, buffer: Buffer): { name: string; mimeType: string; buffer: Buffer } => ({
  name,
  mimeType: 'image/png',
  buffer,
});
