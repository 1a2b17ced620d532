import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { administrate } from './administration.mjs';
import { ADMIN_TOKEN, OWNER } from './cast.mjs';
import { insertHistory } from './history.mjs';
import { startLiveTraffic } from './live-traffic.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** What could point at something real. The demonstration has a database of its own, always. */
const STORES = [
  ...['DATABASE_URL', 'DATABASE_AUTH_TOKEN', 'TURSO_DATABASE_URL', 'TURSO_AUTH_TOKEN', 'REDIS_URL'],
  ...['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN', 'KV_REST_API_URL', 'KV_REST_API_TOKEN'],
];
/** Empty is unset, and keeps a `.env` file from setting them. */
const UNSET = Object.fromEntries(
  [
    ...STORES,
    'AUTH_SECRET',
    'SLUICE_POLICIES',
    'SLUICE_UPSTREAM',
    'SLUICE_LAB',
    'SLUICE_PUBLIC_URL',
    'OIDC_ISSUER',
    'GITHUB_CLIENT_ID',
  ].map((name) => [name, '']),
);

/**
 * Starts the product on a database in a new temporary directory, which goes with it. `empty`: without any data, as a
 * fresh installation; `live`: real requests go on for as long as it runs.
 * @throws Error with a sentence for people
 */
export async function startDemo({ port = 3100, empty = false, live = true, quiet = true } = {}) {
  for (const name of STORES) {
    if (process.env[name]) {
      throw new Error(`${name} is set. The demonstration only ever uses a database of its own: unset it first.`);
    }
  }
  const directory = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
  const url = `file:${join(directory, 'demo.db')}`;
  const child = spawn(process.execPath, ['--import', pathToFileURL(join(ROOT, 'demo/clock.mjs')).href, 'server.mjs'], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...UNSET,
      PORT: String(port),
      HOSTNAME_BIND: process.env.HOSTNAME_BIND || '127.0.0.1',
      DATABASE_URL: url,
      SLUICE_DEMO: empty ? 'off' : 'on',
      SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
      SLUICE_ADMIN_EMAIL: OWNER.email,
      SLUICE_ADMIN_PASSWORD: OWNER.password,
      SLUICE_LOG_LEVEL: 'warn',
      SLUICE_DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit', 'ipc'],
  });
  let exited = false;
  const ended = new Promise((resolve) =>
    child.once('exit', (code) => {
      exited = true;
      resolve(code);
    }),
  );
  const origin = `http://127.0.0.1:${port}`;
  let traffic = null;
  const stop = async () => {
    await traffic?.stop();
    if (!exited) child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await ready(origin, () => exited);
    if (!empty) {
      const api = caller(origin);
      const setClock = (clock) =>
        new Promise((resolve) => {
          child.once('message', resolve);
          child.send({ clock });
        });
      const now = Date.now();
      const administration = await administrate({ api, setClock, now });
      const { keys, exceptions } = administration;
      await setClock(null);
      await insertHistory({ url, keys, exceptions, now: Date.now() });
      await administration.today();
      await setClock(null);
      const running = startLiveTraffic({ api, keys });
      await running.warmUp();
      if (live) traffic = running;
      else await running.stop();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin, directory, ended, stop, ...OWNER, token: ADMIN_TOKEN };
}

async function ready(origin, exited) {
  const until = Date.now() + 5 * 60_000;
  while ((await fetch(`${origin}/readyz`).catch(() => null))?.status !== 200) {
    if (exited()) throw new Error('The server ended while starting.');
    if (Date.now() > until) throw new Error('The server was not ready within five minutes.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Calls the API; whatever it refuses ends the start, with what it said. */
function caller(origin) {
  return async (method, path, body, token = ADMIN_TOKEN) => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('application/x-ndjson');
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 400)}`);
    if (isStream) return JSON.parse(text.trimEnd().split('\n').at(-1));
    return text === '' ? null : JSON.parse(text);
  };
}
