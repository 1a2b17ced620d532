import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../tests/fixtures/free-port';
import { installPacked } from '../tests/fixtures/packed-product';
import { neededBuild } from './needed-build';
import { median, table } from './rounds';
import { runInFolder } from './run-in-folder';

const ROUNDS = 7;
/** Time after which a new process has collected what only its start needed. */
const IDLE_SECONDS = 20;
const MEGABYTE = 1_000_000;
const MEBIBYTE = 2 ** 20;
const GOALS = { installed: 250, start: 3, idle: 250 };

/** Measures what a production installation takes: disk, start time, idle memory. */
export async function run(): Promise<string> {
  const needed = neededBuild();
  if (needed !== null) return needed;
  const { directory, prefix } = await installPacked();
  try {
    const archive = readdirSync(directory).find((name) => /^sluice-.*\.tgz$/.test(name)) ?? '';
    const packed = statSync(join(directory, archive)).size;
    const product = join(prefix, 'lib', 'node_modules', 'sluice');
    const server = join(product, '.next', 'standalone', 'server.mjs');
    const starts: Started[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      starts.push(...(await runInFolder((folder) => startTwice(server, folder))));
    const idle = await runInFolder((folder) => measureMemory(server, folder));
    const of = (kind: Started['kind']) =>
      starts.filter((started) => started.kind === kind).map(({ seconds }) => seconds);
    const first = of('first');
    const again = of('again');
    return [
      `\`npm pack\`, installed with its production dependencies and nothing else, \`NODE_ENV=production\`. Time from the start of Node to the first 200 of \`/readyz\`, with the files in the cache of the system: median of ${ROUNDS}. Memory: resident set, ${IDLE_SECONDS} s after the start, without a request.`,
      table(
        ['', 'measured', 'range', 'goal, at most'],
        [
          ['the archive', megabytes(packed), '', ''],
          ['**installed, in all**', megabytes(measureSize(prefix)), '', `${GOALS.installed} MB`],
          [
            'of it the product, `.next/standalone` (all that a container needs)',
            megabytes(measureSize(join(product, '.next'))),
            '',
            '',
          ],
          ['of it the command line and the client, `dist`', megabytes(measureSize(join(product, 'dist'))), '', ''],
          [
            'the folder `.next/standalone` of a build, for the same platform',
            megabytes(measureSize('.next/standalone')),
            '',
            `${GOALS.installed} MB`,
          ],
          ['first start: makes the database and the owner', seconds(median(first)), range(first), `${GOALS.start} s`],
          ['start on that database', seconds(median(again)), range(again), `${GOALS.start} s`],
          ['memory of the waiting process', mebibytes(idle.resident), '', `${GOALS.idle} MiB`],
          ['most that its start took', mebibytes(idle.most), '', ''],
        ],
      ),
    ].join('\n\n');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(0)} MB`;
const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
const seconds = (value: number) => `${value.toFixed(2)} s`;
const range = (values: readonly number[]) => `${Math.min(...values).toFixed(2)} to ${seconds(Math.max(...values))}`;

/** Returns the bytes of all files in a directory. */
function measureSize(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const sizes = entries.map((entry) => (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

interface Started {
  kind: 'first' | 'again';
  seconds: number;
}

async function startTwice(server: string, folder: string): Promise<Started[]> {
  const started: Started[] = [];
  for (const kind of ['first', 'again'] as const) {
    const process = await start(server, folder);
    started.push({ kind, seconds: process.seconds });
    await process.stop();
  }
  return started;
}

async function measureMemory(server: string, folder: string): Promise<{ resident: number; most: number }> {
  await (await start(server, folder)).stop();
  const process = await start(server, folder);
  await wait(IDLE_SECONDS * 1_000);
  const memory = memoryOfProcess(process.child);
  await process.stop();
  return memory;
}

/** Reads `VmRSS` and `VmHWM` of `status` in kB (proc(5)). NaN if the system does not report them. */
function memoryOfProcess({ pid }: ChildProcess): { resident: number; most: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
    return { resident: bytes('VmRSS'), most: bytes('VmHWM') };
  } catch {
    return { resident: Number.NaN, most: Number.NaN };
  }
}

/** Starts the product in a folder with its data. */
async function start(server: string, folder: string) {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=32', server], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), HOSTNAME_BIND: '127.0.0.1' },
      ...{ SLUICE_DRAIN_SECONDS: '0', SLUICE_LOG_LEVEL: 'warn' },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (;;) {
    if (child.exitCode !== null) throw new Error('The product ended while starting.');
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) break;
    await wait(5);
  }
  const elapsed = (performance.now() - begun) / 1_000;
  return {
    child,
    seconds: elapsed,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
