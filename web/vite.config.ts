import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

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
  '/images',
  '/site',
  '/docs',
];

export default defineConfig({
  resolve: {
    alias: { 'adsvc-client': path('../clients/typescript/src/index.ts') },
  },
  build: {
    target: 'es2022',
    // Inlined pictures would be `data:` addresses, which the page's policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: Object.fromEntries(API.map((prefix) => [`^${prefix}(?=[/?]|$)`, SERVICE])),
  },
});
