import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: {
      'adsvc-client': fileURLToPath(new URL('../clients/typescript/src/index.ts', import.meta.url)),
    },
  },
  test: { include: ['tests/**/*.test.ts'], setupFiles: ['tests/browser.ts'] },
});
