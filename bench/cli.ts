import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { buildPackages } from '../server/packages';
import { close, listen } from '../tests/fixtures/listen';
import { median, table } from './rounds';

const ROUNDS = 41;

/** Measures the command line from start to end, alternating with plain Node. */
export async function run(): Promise<string> {
  await buildPackages(process.cwd());
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
  const env = { ...process.env, SLUICE_URL: `http://127.0.0.1:${await listen(server)}`, SLUICE_TOKEN: 'token' };
  const sluice = resolve('bin', 'sluice.mjs');
  const contenders = {
    'node -e 0': ['-e', '0'],
    'sluice --version': [sluice, '--version'],
    'sluice --help': [sluice, '--help'],
    'sluice keys create --help': [sluice, 'keys', 'create', '--help'],
    'sluice keys list, of a server that answers at once': [sluice, 'keys', 'list'],
  };
  const times = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, words] of Object.entries(contenders)) {
      const start = performance.now();
      await once(spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] }), 'exit');
      // The first round fills the file system's caches.
      if (round > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  await close(server);
  const rows = [...times].map(([name, all]) => [
    name,
    `${median(all).toFixed(0)} ms`,
    `${Math.min(...all).toFixed(0)} ms`,
  ]);
  return table(['start to end', 'median', 'fastest'], rows);
}
