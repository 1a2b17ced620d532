// One vitest run over one test file, whose sources carry their mutants. Started by run.mjs.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';
import { instrument } from './instrument.mjs';

const task = JSON.parse(readFileSync(process.env.SLUICE_MUTATION_TASK, 'utf8'));
const firstIds = new Map(Object.entries(task.firstIds).map(([file, id]) => [resolve(file), id]));

const vitest = await startVitest(
  'test',
  task.tests,
  {
    config: false,
    watch: false,
    include: ['tests/unit/**/*.test.ts'],
    runner: 'tests/mutation/runner.mjs',
    setupFiles: ['tests/mutation/setup.mjs'],
    pool: 'threads',
    maxWorkers: 1,
    fileParallelism: false,
    reporters: [{}],
    silent: true,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    bail: task.active === null ? 0 : 1,
  },
  {
    resolve: { alias: { '@': process.cwd() } },
    plugins: [
      {
        name: 'mutants',
        enforce: 'pre',
        transform(source, id) {
          const firstId = firstIds.get(id);
          return firstId === undefined ? null : { code: instrument(source, firstId).code, map: null };
        },
      },
    ],
  },
);
const errors = vitest.state.getUnhandledErrors();
if (errors.length > 0) console.error(errors.map((error) => error?.message ?? error).join('\n'));
await vitest.close();
process.exit(0);
