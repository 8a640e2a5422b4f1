// After the build: the service worker hears of its files, and each file that gets smaller by it has a gzip and a
// Brotli file beside it, so that none is compressed at each request.
import { createHash } from 'node:crypto';
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

// What the server says in the first view of a page (api/templates).
const SAID = [
  'home.title',
  'home.hero',
  'home.categories',
  'home.newest',
  'home.allPlain',
  'results.title',
  'results.titleWords',
  'results.list',
  'results.none',
  'results.didYouMean',
  'results.showAll',
  'results.more',
  'price.free',
  'price.onRequest',
  'price.quiet',
  'ad.description',
  'ad.attributes',
  'ad.priceBefore',
  'ad.posted',
  'status.reserved',
  'search.label',
  'search.placeholder',
  'search.button',
  'shell.about',
  'shell.skip',
  'shell.interface',
  'seller.title',
  'seller.page',
  'seller.unnamed',
  'seller.since',
  'seller.verified',
  'value.yes',
  'value.no',
];
// Of these, each form that the language has.
const COUNTED = /^results\.count(AtLeast)?\.\w+$/;
const source = fileURLToPath(new URL('../src/i18n/', import.meta.url));
const words = {};
for (const name of (await readdir(source))
  .filter((one) => one.endsWith('.json'))
  .sort((one) => (one === 'en.json' ? -1 : 1))) {
  const language = name.replace('.json', '');
  const messages = JSON.parse(await readFile(join(source, name), 'utf8'));
  const counted = Object.keys(messages).filter((key) => COUNTED.test(key));
  words[language] = {
    texts: Object.fromEntries([...SAID, ...counted].map((key) => [key, messages[key]])),
  };
  const missing = SAID.filter((key) => typeof messages[key] !== 'string');
  if (missing.length > 0) throw new Error(`${name} has no ${missing.join(', ')}`);
}
await writeFile(join(built, 'words.json'), JSON.stringify(words));
// All messages in English, for who translates them.
const english = {};
for (const name of (await readdir(source, { recursive: true }))
  .filter((one) => /(^|\/)en\.json$/.test(one))
  .sort())
  Object.assign(english, JSON.parse(await readFile(join(source, name), 'utf8')));
await writeFile(join(built, 'messages.json'), JSON.stringify(english, null, 2));
/** What the service worker keeps of the app: what a first visit loads, the icons and the font. */
async function fillWorker() {
  const index = await readFile(join(built, 'index.html'), 'utf8');
  const named = [...index.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => name);
  const assets = await readdir(join(built, 'assets'));
  const more = assets.filter((name) =>
    /^((?:category-)?icons-.*\.svg|manrope-latin-.*\.woff2|(de|ru)-.*\.js)$/.test(name),
  );
  const list = [...new Set([...named, ...more.map((name) => `/assets/${name}`)])].sort();
  const style = list.find((name) => name.endsWith('.css'));
  const offline = join(built, 'offline.html');
  const page = (await readFile(offline, 'utf8')).replace('/style.css', style);
  await writeFile(offline, page);
  const worker = join(built, 'worker.js');
  const version = createHash('sha256').update(index).update(page).digest('hex').slice(0, 12);
  const script = (await readFile(worker, 'utf8'))
    .replace('const FILES = [];', `const FILES = ${JSON.stringify(list)};`)
    .replace("const VERSION = 'built';", `const VERSION = '${version}';`);
  await writeFile(worker, script);
}

await fillWorker();

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
const MOST_BYTES = 75_000;
const index = await readFile(join(built, 'index.html'), 'utf8');
const scripts = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name);
let bytes = 0;
const size = async (name) => (await readFile(join(built, `${name}.gz`))).length;
for (const name of scripts) bytes += await size(name);
// And the messages of one language more: English is among the scripts.
const languages = (await readdir(join(built, 'assets'))).filter((name) => /^(de|ru)-[\w-]+\.js$/.test(name));
bytes += Math.max(...(await Promise.all(languages.map((name) => size(`assets/${name}`)))), 0);
console.log(`First load: ${(bytes / 1000).toFixed(1)} kB of script with gzip`);
if (scripts.length === 0 || bytes > MOST_BYTES) {
  console.error(`It must be below ${MOST_BYTES / 1000} kB.`);
  process.exitCode = 1;
}
