/*
 * Promise 15 of docs/reliability.md: whatever call to the disk fails, what was acknowledged is stored, and a change that
 * failed is never reported as made. A process decides and changes while strace makes the n-th call fail, once, for each n.
 *
 *   node docs/experiments/failing-disk.mjs [calls = 200] [step = 1]
 *
 * Needs strace and the right to trace. Every run has a database of its own in a temporary folder; nothing else is touched.
 * The process is then killed, and the database opened by another one, as after a crash.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { bundle } from '../../bench/bundle.mjs';

const CALLS = Number(process.argv[2] ?? 200);
const STEP = Number(process.argv[3] ?? 1);
const FAULTS = [
  { calls: 'fsync,fdatasync', error: 'EIO' },
  { calls: 'pwrite64', error: 'EIO' },
  { calls: 'pwrite64', error: 'ENOSPC' },
];

if (spawnSync('strace', ['-V']).status !== 0) {
  console.error('strace is not installed.');
  process.exit(1);
}
const script = await bundle('docs/experiments/failing-disk-process.ts');
// An empty database with its schema, so that the calls that fail are those of decisions and changes.
const template = mkdtempSync(join(tmpdir(), 'sluice-disk-'));
spawnSync(process.execPath, [script, join(template, 'sluice.db'), '0'], { stdio: 'ignore' });
let wrong = 0;
console.log(
  '| calls that fail | runs | met | refused to start | decisions and changes that failed | acknowledged and lost | stored and not acknowledged |',
);
console.log('|---|---:|---:|---:|---:|---:|---:|');
for (const fault of FAULTS) {
  const sum = { runs: 0, met: 0, refused: 0, failed: 0, lost: 0, beyond: 0 };
  for (let n = 1; n <= CALLS; n += STEP) {
    const result = run(fault, n);
    sum.runs += 1;
    for (const name of ['met', 'refused', 'failed', 'lost', 'beyond']) sum[name] += result[name];
    if (result.lost > 0 || result.beyond > 1 || result.broken !== null) {
      wrong += 1;
      console.error(`${fault.calls} ${fault.error} at call ${n}: ${JSON.stringify(result)}`);
    }
  }
  const { runs, met, refused, failed, lost, beyond } = sum;
  console.log(`| ${fault.calls}: ${fault.error} | ${runs} | ${met} | ${refused} | ${failed} | ${lost} | ${beyond} |`);
}
rmSync(template, { recursive: true, force: true });
console.log(wrong === 0 ? '\nKept in every run.' : `\nBROKEN in ${wrong} runs.`);
process.exit(wrong === 0 ? 0 : 1);

/** One process with one fault. Each of its changes syncs the log once, so that the n-th call is reached. */
function run({ calls, error }, n) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-disk-'));
  cpSync(template, folder, { recursive: true });
  const path = join(folder, 'sluice.db');
  try {
    const files = [path, `${path}-wal`, `${path}-journal`].flatMap((file) => ['-P', file]);
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}:when=${n}`];
    const traced = spawnSync(
      'strace',
      ['-f', '--seccomp-bpf', '-qq', ...files, ...inject, process.execPath, script, path, String(n + 5)],
      { encoding: 'utf8', timeout: 120_000, maxBuffer: 2 ** 28 },
    );
    const lines = traced.stdout.split('\n');
    const changed = lines.filter((line) => line.startsWith('changed ')).map((line) => line.slice('changed '.length));
    const decided = lines.filter((line) => line === 'decided').length;
    const met = traced.stderr.includes('(INJECTED)') ? 1 : 0;
    const failed = lines.filter((line) => line.startsWith('failed ')).length;
    const refused = lines.includes('ready') ? 0 : 1;
    return { met, failed, refused, ...compare(path, changed, decided, refused === 1) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What another process finds in the file, beside what was acknowledged. */
function compare(path, changed, decided, refused) {
  const database = new Libsql(path);
  const all = (sql) => database.prepare(sql).raw().all();
  try {
    const [[integrity]] = all('pragma integrity_check');
    if (integrity !== 'ok') return { lost: 0, beyond: 0, broken: String(integrity) };
    if (refused) return { lost: 0, beyond: 0, broken: null };
    const stored = new Set(all('select identifier from allowlist').map(([identifier]) => identifier));
    const records = all("select target from audit where action = 'allowlist.add'").length;
    const key = "key like 'ip|203.0.113.1|read|%'";
    const journaled = `select json_remove(value, '$[0]') from counter_journal, json_each(windows) where ${key} order by position desc`;
    const [[slots] = ['[0]']] = [...all(journaled), ...all(`select slots from counter_windows where ${key}`)];
    const used = JSON.parse(slots)
      .slice(1)
      .reduce((sum, hits) => sum + hits, 0);
    const lost = changed.filter((identifier) => !stored.has(identifier)).length + Math.max(0, decided - used);
    const beyond = stored.size - changed.length + Math.max(0, used - decided);
    return { lost, beyond, broken: records === stored.size ? null : `${records} records of ${stored.size} changes` };
  } finally {
    database.close();
  }
}
