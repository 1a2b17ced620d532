/*
 * Promise 19 of docs/reliability.md: under 60 % of what it can do the product neither grows nor slows down nor fails.
 *
 *   npm run build && node docs/experiments/soak.mjs [minutes = 30]
 *
 * Measures what one process does with checks, batches, a page and an API list in turn, then asks for 60 % of it, minute by
 * minute, on a database in a temporary folder. Other work on the machine shows in the latencies: run it alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';

const MINUTES = Number(process.argv[2] ?? 30);
const SHARE = 0.6;
const CONNECTIONS = 20;
const TOKEN = 'soak-admin-token-0123456789-0123456789';
const HEADERS = { 'x-admin-token': TOKEN, 'content-type': 'application/json' };
/** Minutes after which nothing may grow any more. */
const WARM = 5;

const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'));
const no = { limit: 1_000_000_000, window_seconds: 60 };
const server = spawn(process.execPath, ['--max-semi-space-size=32', 'server.mjs'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    PATH: process.env.PATH,
    PORT: '0',
    HOSTNAME_BIND: '127.0.0.1',
    DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
    SLUICE_ADMIN_TOKEN: TOKEN,
    SLUICE_LOG_LEVEL: 'error',
    SLUICE_POLICIES: JSON.stringify({ classes: { read: { ip: no, user: no }, write: { ip: no } }, global: no }),
  },
});
try {
  const origin = await listening();
  const capacity = (await load(origin, 20)).rate;
  const rate = Math.floor(capacity * SHARE);
  console.log(`${MINUTES} minutes at ${rate} requests a second, 60 % of ${Math.round(capacity)}.\n`);
  console.log('| minute | requests | p50 | p99 | failed | memory | log of the database | load of the machine |');
  console.log('|---:|---:|---:|---:|---:|---:|---:|---:|');
  const rows = [];
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const { requests, p50, p99, failed } = await load(origin, 60, rate);
    const row = {
      requests,
      p50,
      p99,
      failed,
      memory: memory(),
      log: megabytes('sluice.db-wal'),
      load: loadavg()[0] ?? 0,
    };
    rows.push(row);
    console.log(
      `| ${minute} | ${requests} | ${p50} ms | ${p99} ms | ${failed} | ${row.memory} MiB | ${row.log} MiB | ${row.load.toFixed(1)} |`,
    );
  }
  verdict(rows);
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

/** The origin, once it is ready. */
async function listening() {
  let output = '';
  server.stdout.on('data', (data) => {
    output += String(data);
  });
  for (;;) {
    if (server.exitCode !== null) throw new Error(`The product ended while starting:\n${output}`);
    const port = /listens on \S+?:(\d+)/.exec(output)?.[1];
    const origin = `http://127.0.0.1:${port}`;
    if (port !== undefined && (await fetch(`${origin}/readyz`).catch(() => null))?.ok) return origin;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What came of so many seconds; without a rate as much as goes. */
async function load(origin, duration, overallRate) {
  const check = (n) =>
    JSON.stringify({ class: 'read', ip: `10.${n % 200}.${(n * 7) % 250}.1`, user_id: `user ${n % 5_000}` });
  const checks = Array.from({ length: 12 }, (_, i) => ({
    method: 'POST',
    path: '/v1/check',
    setupRequest: (request) => ({ ...request, body: check(Math.floor(Math.random() * 1e6) + i) }),
  }));
  const batch = `[${Array.from({ length: 50 }, (_, i) => check(i)).join(',')}]`;
  const result = await autocannon({
    url: origin,
    connections: CONNECTIONS,
    duration,
    ...(overallRate === undefined ? {} : { overallRate }),
    headers: HEADERS,
    requests: [
      ...checks,
      { method: 'POST', path: '/v1/check/batch', body: batch },
      { method: 'GET', path: '/v1/admin/rate-limit/quotas' },
      { method: 'GET', path: '/v1/admin/statistics' },
      { method: 'GET', path: '/sign-in' },
    ],
  });
  const { requests, latency, errors, timeouts, non2xx } = result;
  return {
    rate: requests.average,
    requests: requests.total,
    p50: latency.p50,
    p99: latency.p99,
    failed: errors + timeouts + non2xx,
  };
}

/** Resident memory of the server, MiB. */
function memory() {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function megabytes(name) {
  return Math.round((statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20);
}

/** After the warm-up, the last quarter of the minutes against the first. */
function verdict(rows) {
  const warm = rows.slice(WARM);
  if (warm.length < 8) return console.log('\nToo short for a verdict: it takes 13 minutes.');
  const mean = (part, name) => part.reduce((sum, row) => sum + row[name], 0) / part.length;
  const quarter = Math.floor(warm.length / 4);
  const [first, last] = [warm.slice(0, quarter), warm.slice(-quarter)];
  const change = (name) => `${((mean(last, name) / mean(first, name) - 1) * 100).toFixed(1)} %`;
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  console.log(
    `\nAfter minute ${WARM}, last quarter against first: memory ${change('memory')}, p99 ${change('p99')}; ${failed} failed.`,
  );
}
