import { defineConfig } from 'vitest/config';

// One service and one browser for all: a browser for each file would measure the machine.
export default defineConfig({
  test: {
    root: new URL('.', import.meta.url).pathname,
    include: ['**/*.test.ts'],
    exclude: process.argv.includes('--tools') ? [] : ['tools/**'],
    globalSetup: ['./support/service.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
