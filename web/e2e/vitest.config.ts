import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// One service and one browser for all: a browser for each file would measure the machine.
export default defineConfig({
  resolve: {
    alias: {
      'adsvc-client': fileURLToPath(new URL('../../clients/typescript/src/index.ts', import.meta.url)),
    },
  },
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    // The tools are started by their names: they write files.
    include: process.env.TOOL ? [`tools/${process.env.TOOL}.ts`] : ['*.test.ts'],
    globalSetup: ['./support/service.ts'],
    fileParallelism: false,
    testTimeout: 240_000,
    // Where the machine does other things too.
    retry: Number(process.env.E2E_RETRIES ?? 0),
    // A test that failed leaves requests that it held. Their pages are closed, which says nothing of its next try.
    onUnhandledError: (error) => !(process.env.E2E_RETRIES && /closed|already handled/.test(error.message)),
    hookTimeout: 60_000,
    // As long as a page may take on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
});
