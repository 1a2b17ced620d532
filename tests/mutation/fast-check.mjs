// What the tests import as `fast-check` in a mutation run: the same examples every time, not thousands of them, and none
// looked for that are smaller. One that fails is enough.
import { resolve } from 'node:path';

const { default: fc } = await import(resolve('node_modules/fast-check/lib/fast-check.js'));

const MOST_RUNS = 200;

fc.configureGlobal({ seed: 1, endOnFailure: true });

const assert = (property, parameters) =>
  fc.assert(property, { ...parameters, numRuns: Math.min(parameters?.numRuns ?? 100, MOST_RUNS) });

export default { ...fc, assert };
