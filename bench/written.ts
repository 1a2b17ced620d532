import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sluice } from './engine-contenders';
import { formatThousands, table } from './rounds';
import { runInFolder } from './run-in-folder';

const SUBJECTS = [1_000, 100_000, 1_000_000];
const DECISIONS = 2_400_000;
const WAITING = 50;

interface Written {
  /** Bytes that the file system counted as written, per decision. */
  bytes: number;
  /** Resident memory of the process at the end, in bytes. */
  memory: number;
}

/** Measures what decisions on the embedded file write, and the memory of a process that does nothing else. */
export async function run(): Promise<string> {
  const rows: string[][] = [];
  for (const subjects of SUBJECTS) {
    const { bytes, memory } = await runInChild(subjects);
    rows.push([formatThousands(subjects), formatThousands(bytes), formatThousands(memory / 2 ** 20)]);
  }
  return [
    `${formatThousands(DECISIONS)} decisions about random subjects, ${WAITING} in a group, each row in a process of its own; one round.`,
    table(['subjects', 'bytes written a decision', 'MiB of the process'], rows),
  ].join('\n\n');
}

/** Runs this module again in a child process, which then calls `measureWrites`. */
async function runInChild(subjects: number): Promise<Written> {
  const child = fork(fileURLToPath(import.meta.url), [String(subjects)]);
  const [written]: Written[] = await once(child, 'message');
  if (written === undefined) throw new Error('The process measured nothing.');
  return written;
}

async function measureWrites(subjects: number): Promise<Written> {
  return runInFolder(async (folder) => {
    const { decide } = sluice(join(folder, 'sluice.db'), { keys: subjects, meters: 1 });
    const before = bytesWritten();
    for (let decided = 0; decided < DECISIONS; decided += WAITING) await decide(WAITING);
    return { bytes: (bytesWritten() - before) / DECISIONS, memory: process.memoryUsage.rss() };
  });
}

/** Returns the bytes that this process has written so far. Linux only. */
function bytesWritten(): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN);
}

if (process.send !== undefined) {
  const written = await measureWrites(Number(process.argv[2]));
  process.send(written, () => process.exit());
}
