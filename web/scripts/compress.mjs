// Writes a gzip and a Brotli file beside each built one that gets smaller by it, so that nobody compresses
// them at each request.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const built = fileURLToPath(new URL('../dist/', import.meta.url));

async function* files(directory) {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

for await (const path of files(built)) {
  if (!/\.(js|css|html|svg|json)$/.test(path)) continue;
  const content = await readFile(path);
  const brotli = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  };
  for (const [suffix, smaller] of [
    ['.gz', gzipSync(content, { level: 9 })],
    ['.br', brotliCompressSync(content, brotli)],
  ]) {
    if (smaller.length < content.length) await writeFile(path + suffix, smaller);
  }
}

// What a first visit loads of script, whatever page it is of.
const MOST_BYTES = 120_000;
const index = await readFile(join(built, 'index.html'), 'utf8');
const scripts = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name);
let bytes = 0;
for (const name of scripts) bytes += (await readFile(join(built, `${name}.gz`))).length;
console.log(`First load: ${(bytes / 1000).toFixed(1)} kB of script with gzip`);
if (scripts.length === 0 || bytes > MOST_BYTES) {
  console.error(`It must be below ${MOST_BYTES / 1000} kB.`);
  process.exitCode = 1;
}
