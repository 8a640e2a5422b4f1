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

let first: Set<string> | undefined;
let boot: Set<string> | undefined;

export default defineConfig({
  plugins: [preloadMain],
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
