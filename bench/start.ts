import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import type { Database } from '../lib/db/database';
import { migrate } from '../lib/db/migrate';
import { openDatabase } from '../lib/db/open-database';
import { RulesCache } from '../lib/enforcement/rules-cache';
import { startProduct } from '../tests/fixtures/product';
import { neededBuild } from './needed-build';
import { formatThousands, median, table } from './rounds';
import { runInFolder } from './run-in-folder';

const COUNT = 100_000;
const ROUNDS = 5;
const CHANGES = 50;
const MEBIBYTE = 2 ** 20;
/** Goals in seconds, MiB and ms. */
const GOALS = { ready: 1, memory: 150, change: 1 };

/**
 * Compares a start with many keys and allowlist entries with an empty one: reading the rules, and the whole product.
 */
export async function run({ rounds = ROUNDS }: { rounds?: number } = {}): Promise<string> {
  return runInFolder(async (folder) => {
    const directories = { empty: join(folder, 'empty'), full: join(folder, 'full') };
    for (const [name, directory] of Object.entries(directories)) await fill(directory, name === 'full' ? COUNT : 0);
    const reads: Read[] = [];
    for (let round = 0; round < rounds; round += 1) reads.push(await readRules(directories.full));
    const of = (pick: (read: Read) => number) => median(reads.map(pick));
    const rows = [
      ['reading them', `${of(({ ms }) => ms).toFixed(0)} ms`, ''],
      ['of it processor time', `${of(({ cpu }) => cpu).toFixed(0)} ms`, `${GOALS.ready * 1_000} ms`],
      ['memory that they keep', `${of(({ grown }) => grown).toFixed(0)} MiB`, `${GOALS.memory} MiB`],
      ['one change, read again', `${of(({ change }) => change).toFixed(2)} ms`, `${GOALS.change} ms`],
    ];
    return [
      `${formatThousands(COUNT)} API keys and as many allowlist entries, median of ${rounds}.`,
      table(['', 'measured', 'goal, less than'], rows),
      await products(directories, rounds),
    ].join('\n\n');
  });
}

function open(directory: string): Database {
  const url = `file:${join(directory, 'sluice.db')}`;
  return openDatabase({ url, monotonic: () => performance.now(), wait, random: Math.random });
}

async function fill(directory: string, count: number): Promise<void> {
  const database = open(directory);
  await migrate(database, 'drizzle', 0);
  const { handle } = database;
  if (handle === null) throw new Error('The file is embedded.');
  const entry = handle.prepare(
    `insert into allowlist (id, type, identifier, reason, created_at, created_by, revision) values (?, 'ip', ?, 'bench', 0, 'bench', 1)`,
  );
  const key = handle.prepare(
    `insert into api_keys (id, name, tier, client_type, prefix, secret_hash, created_at, created_by, revision) values (?, ?, 'free', 'public', 'slk_', ?, 0, 'bench', 1)`,
  );
  handle.exec('begin');
  record(database, 1);
  for (let i = 0; i < count; i += 1) {
    entry.run(randomUUID(), `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`);
    key.run(randomUUID(), `key ${i}`, `hash ${i}`);
  }
  handle.exec('commit');
  database.close();
}

function record({ handle }: Database, seq: number): void {
  handle?.exec(
    `insert into audit (seq, at, actor, actor_name, action, target_type, target, previous_hash, hash) values (${seq}, 0, 'system', 'bench', 'bench', 'bench', '${seq}', '', '${seq}')`,
  );
}

interface Read {
  ms: number;
  cpu: number;
  /** Memory growth in MiB. */
  grown: number;
  /** Duration of a change in ms. */
  change: number;
}

/** Reads the rules in this process. Its changes are deleted afterwards, so that the database stays as it was. */
async function readRules(directory: string): Promise<Read> {
  const database = open(directory);
  collect();
  const before = process.memoryUsage().rss;
  const rules = new RulesCache(database, pino({ level: 'silent' }), undefined);
  const begun = performance.now();
  const spent = process.cpuUsage();
  await rules.refresh();
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(spent);
  collect();
  const grown = (process.memoryUsage().rss - before) / MEBIBYTE;
  const changes: number[] = [];
  for (let i = 0; i < CHANGES; i += 1) {
    const seq = rules.current.revision + 1;
    record(database, seq);
    database.handle?.exec(
      `insert into allowlist (id, type, identifier, reason, created_at, created_by, revision) values ('${randomUUID()}', 'ip', '192.0.2.${i}', 'bench', 0, 'bench', ${seq})`,
    );
    const changed = performance.now();
    await rules.refresh();
    changes.push(performance.now() - changed);
  }
  if (rules.current.allowedRanges.size !== COUNT + CHANGES) throw new Error('The rules were not read.');
  database.handle?.exec(`delete from allowlist where revision > 1; delete from audit where seq > 1`);
  database.close();
  return { ms, cpu: (user + system) / 1_000, grown, change: median(changes) };
}

async function products(directories: Record<'empty' | 'full', string>, rounds: number): Promise<string> {
  const needed = neededBuild();
  if (needed !== null) return `The product: ${needed}`;
  const measured = { empty: [] as Started[], full: [] as Started[] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const kind of ['empty', 'full'] as const) {
      const started = await start(directories[kind]);
      if (round > 0) measured[kind].push(started);
    }
  }
  const row = (kind: 'empty' | 'full', name: string) => {
    const of = (pick: (started: Started) => number) => median(measured[kind].map(pick));
    return [
      name,
      `${of(({ seconds }) => seconds).toFixed(2)} s`,
      `${of(({ cpu }) => cpu).toFixed(2)} s`,
      `${of(({ resident }) => resident).toFixed(0)} MiB`,
      `${of(({ most }) => most).toFixed(0)} MiB`,
    ];
  };
  return table(
    ['the product', 'until `/readyz` says 200', 'processor time', 'memory 5 s later', 'most'],
    [row('empty', 'with none'), row('full', `with ${formatThousands(COUNT)} of each`)],
  );
}

interface Started {
  seconds: number;
  cpu: number;
  /** Resident memory in MiB. */
  resident: number;
  most: number;
}

async function start(directory: string): Promise<Started> {
  const begun = performance.now();
  const product = await startProduct({ directory });
  const seconds = (performance.now() - begun) / 1_000;
  const stat = readFileSync(`/proc/${product.process.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpu = (Number(fields[11]) + Number(fields[12])) / 100;
  await wait(5_000);
  const status = readFileSync(`/proc/${product.process.pid}/status`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024;
  await product.stop();
  return { seconds, cpu, resident: mebibytes('VmRSS'), most: mebibytes('VmHWM') };
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
