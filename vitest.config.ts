import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PROJECTS, patternsOf } from './tests/projects.mjs';

const SHARED = 'tests/fixtures/shared-products.ts';
const CHROMIUM = 'tests/fixtures/unpack-chromium.ts';
const SET_UP: Record<keyof typeof PROJECTS, string[]> = {
  fast: [],
  product: [SHARED],
  world: [],
  browser: [CHROMIUM],
  long: [CHROMIUM],
};

const root = fileURLToPath(new URL('.', import.meta.url));

/**
 * Files run side by side, three at least: each starts servers of its own, on ports of its own, and waits much of its time.
 * Time limits end what hangs. They measure nothing: a machine of a tenth of the speed must not reach them.
 */
export default defineConfig({
  resolve: { alias: { '@': root.replace(/\/$/, '') } },
  test: {
    // As next.config.mjs fixes it in the bundle.
    env: { AUTH_TRUST_HOST: 'true', NEXTAUTH_URL: '' },
    // The files that a worker runs share their modules: loading them for each took a third of the processor time.
    isolate: false,
    unstubGlobals: true,
    setupFiles: ['tests/fixtures/url-parse.ts'],
    // A failed expectation prints the list that it met, not how long it is.
    chaiConfig: { truncateThreshold: 2_000 },
    maxWorkers: Math.max(3, availableParallelism() - 1),
    expect: { poll: { timeout: 240_000 } },
    testTimeout: 300_000,
    hookTimeout: 600_000,
    projects: (Object.keys(PROJECTS) as (keyof typeof PROJECTS)[]).map((name) => ({
      extends: true,
      test: {
        name,
        include: patternsOf(name),
        globalSetup: SET_UP[name],
      },
    })),
  },
});
