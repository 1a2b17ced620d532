// One vitest run over one test file, whose sources carry their mutants. Started by run.mjs.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';

const task = JSON.parse(readFileSync(process.env.SLUICE_MUTATION_TASK, 'utf8'));

const vitest = await startVitest(
  'test',
  task.tests,
  {
    config: false,
    watch: false,
    include: ['tests/unit/**/*.test.ts', 'tests/world/redis/*.test.ts'],
    runner: 'tests/mutation/runner.mjs',
    pool: 'threads',
    maxWorkers: 1,
    fileParallelism: false,
    reporters: [{}],
    silent: true,
    testTimeout: 5_000,
    hookTimeout: 60_000,
    bail: task.active === null ? 0 : 1,
  },
  {
    resolve: { alias: { '@': process.cwd(), 'fast-check': resolve('tests/mutation/fast-check.mjs') } },
    plugins: [
      {
        name: 'mutants',
        enforce: 'pre',
        load: (id) => (Object.hasOwn(task.instrumented, id) ? readFileSync(task.instrumented[id], 'utf8') : null),
      },
    ],
  },
);
const errors = vitest.state.getUnhandledErrors();
if (errors.length > 0) console.error(errors.map((error) => error?.message ?? error).join('\n'));
await vitest.close();
process.exit(0);
