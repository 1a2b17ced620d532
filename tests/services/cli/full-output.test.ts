import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine } from '../../fixtures/command-line';

/** A device that takes no byte, as a disk without room. */
const FULL = '/dev/full';

let sluice: Awaited<ReturnType<typeof commandLine>>;
beforeAll(async () => {
  sluice = await commandLine();
});
afterAll(() => sluice.remove());

it.skipIf(!existsSync(FULL)).each([
  ['stdout', 'error: The output cannot be written (ENOSPC).\n'],
  ['stderr', ''],
] as const)('a full disk under %s ends the command with exit code 1 and no stack', (stream, printed) => {
  const full = openSync(FULL, 'w');
  const words = ['bin/sluice.mjs', stream === 'stdout' ? '--help' : 'no-such-command'];
  const stdio = stream === 'stdout' ? (['ignore', full, 'pipe'] as const) : (['ignore', 'pipe', full] as const);
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { stdio: [...stdio], encoding: 'utf8' });
  closeSync(full);
  expect({ status, text: stdout ?? stderr }).toEqual({ status: 1, text: printed });
});
