import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));

/**
 * Files run side by side, three at least: each starts servers of its own, on ports of its own, and waits much of its time.
 * Time limits are there to end what hangs, not to measure: a slow machine must not reach them.
 */
export default defineConfig({
  resolve: { alias: { '@': root.replace(/\/$/, '') } },
  test: {
    // As next.config.mjs fixes it in the bundle.
    env: { AUTH_TRUST_HOST: 'true', NEXTAUTH_URL: '' },
    // The files that a worker runs share their modules: loading them anew for each took a third of the processor time.
    isolate: false,
    unstubGlobals: true,
    // A failed expectation prints the list that it met, not how long it is.
    chaiConfig: { truncateThreshold: 2_000 },
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 120_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['tests/unit/**/*.test.ts'] } },
      { extends: true, test: { name: 'integration', include: ['tests/integration/**/*.test.ts'] } },
      { extends: true, test: { name: 'api', include: ['tests/api/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: 'tests/fixtures/unpack-chromium.ts',
          testTimeout: 300_000,
        },
      },
    ],
  },
});
