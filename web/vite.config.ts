import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Where the service listens while the page is being worked at: `npm run dev` beside `make demo`. */
const SERVICE = process.env.ADSVC_URL ?? 'http://127.0.0.1:8080';

const API = [
  '/ads',
  '/ads.atom',
  '/users',
  '/login',
  '/register',
  '/token',
  '/revoke',
  '/categories',
  '/conversations',
  '/offers',
  '/images',
  '/site',
  '/docs',
];

const MAIN = path('src/app/main.tsx');

/** What a module needs before it runs. */
function needs(
  id: string,
  importsOf: (id: string) => readonly string[],
  found = new Set<string>(),
): Set<string> {
  if (!found.has(id)) {
    found.add(id);
    for (const one of importsOf(id)) needs(one, importsOf, found);
  }
  return found;
}

/** The browser begins to load the pages before `boot` asks for them. */
const preloadMain: Plugin = {
  name: 'preload-main',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((one) => one.type === 'chunk');
      const main = chunks.find((one) => one.facadeModuleId === MAIN);
      return [main?.fileName ?? [], main?.imports ?? []]
        .flat()
        .filter((name) => !html.includes(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
          injectTo: 'head',
        }));
    },
  },
};

const CLIENT = path('../clients/typescript/src');
const OPERATIONS = join(CLIENT, 'generated/operations.gen.ts');
const METHOD = /^ {2}(\w+)\([\s\S]*?^ {2}\}\n/gm;

function sources(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.gen.'))
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join();
}

/** Every page loads the client: operations that none names, and no operation that stays, are left out. */
const onlyNamed: Plugin = {
  name: 'only-named',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (id !== OPERATIONS) return null;
    const methods = new Map([...code.matchAll(METHOD)].map(([text, name = '']) => [name, text]));
    let named = sources(path('src')) + sources(CLIENT);
    for (let before = -1; before !== methods.size; ) {
      before = methods.size;
      for (const [name, text] of methods)
        if (new RegExp(`[.]${name}\\b`).test(named)) {
          methods.delete(name);
          named += text.slice(name.length + 2);
        }
    }
    let kept = code;
    for (const text of methods.values()) kept = kept.replace(text, '');
    return { code: kept, map: null };
  },
};

let first: Set<string> | undefined;
let boot: Set<string> | undefined;

export default defineConfig({
  plugins: [onlyNamed, preloadMain],
  resolve: {
    alias: { 'adsvc-client': path('../clients/typescript/src/index.ts') },
  },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // Inlined pictures would be `data:` addresses, which the page's policy does not allow.
    assetsInlineLimit: 0,
    // What draws maps, on their pages only.
    chunkSizeWarningLimit: 1100,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              // What every page needs is one file, and not one for each page that shares some of it.
              debugName: 'shared',
              name: (id, modules) => {
                const importsOf = (one: string): readonly string[] =>
                  modules.getModuleInfo(one)?.importedIds ?? [];
                boot ??= needs(path('src/app/boot.ts'), importsOf);
                first ??= needs(MAIN, importsOf);
                return id !== MAIN && first.has(id) && !boot.has(id) ? 'shared' : null;
              },
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(API.map((prefix) => [`^${prefix}(?=[/?]|$)`, SERVICE])),
  },
});
