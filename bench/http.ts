import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { gatewayToken, load, type Measured } from './http-load';
import { type HttpServer, leaveFirstCore, startServer } from './http-server';
import { neededBuild } from './needed-build';
import { formatThousands, median, table } from './rounds';
import { serverEnvironment, TOKEN } from './server-environment';

const PORTS = { sluice: 4330, fastify: 4331, express: 4332, bare: 4333, trying: 4334, opened: 4335 };
const SECONDS = 4;
const CLIENTS = 20_000;
const BATCH = 100;
const NO_LIMIT = 1_000_000_000;
const EXACT = { limit: 1_000, calls: 3_000 };

/** One kind of request, with the number of decisions it contains. */
interface Path {
  name: string;
  server: keyof typeof PORTS;
  path: string;
  connections: number;
  decisions: number;
  /** Goal for the rate, relative to the bare server unless it says otherwise. */
  goal?: string;
  /** Same path without a candidate. */
  without?: Path;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  bodies: string[];
}

/**
 * Measures the decision API over HTTP with keep-alive on embedded libSQL, compared with a bare server and limiters in
 * middleware.
 */
export async function run({ rounds = 3 }: { rounds?: number } = {}): Promise<string> {
  const needed = neededBuild();
  if (needed !== null) return needed;
  const cores = leaveFirstCore();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const servers = new Map<string, HttpServer>();
  try {
    for (const name of ['sluice', 'trying', 'opened'] as const) {
      const started = await startServer(
        ['--max-semi-space-size=32', 'server.mjs'],
        PORTS[name],
        '/readyz',
        environment(folder, name),
      );
      servers.set(name, started);
    }
    await tryCandidate();
    await openPage();
    for (const peer of ['bare', 'fastify', 'express'] as const) {
      const args = ['bench/http-peers.mjs', peer, String(PORTS[peer]), String(NO_LIMIT)];
      servers.set(peer, await startServer(args, PORTS[peer], '/'));
    }
    const load = loadavg()[0] ?? Number.NaN;
    const createToken = (name: keyof typeof PORTS) => gatewayToken(`http://127.0.0.1:${PORTS[name]}`, TOKEN);
    const tokens = { plain: await createToken('sluice'), trying: await createToken('trying') };
    const all = paths({ ...tokens, opened: await createToken('opened') });
    const results = await measure(all, servers, rounds);
    const bare = results.find(({ path }) => path.server === 'bare')?.measured.perCore ?? Number.NaN;
    return [
      `Median of ${rounds} interleaved rounds of ${SECONDS} s, ${cores}; ${formatThousands(CLIENTS)} clients, nobody refused. Load of the machine ${load.toFixed(1)} before. ` +
        'Sluice commits every decision to its file before it answers; the limiters of the peers count in memory. ' +
        'A core-second is a second in which the server had a core, so that other work of the machine counts little.',
      table(
        [
          '',
          'requests/s',
          'decisions/s',
          'decisions a core-second',
          'requests of the bare server',
          'goal',
          'p50 ms',
          'p99 ms',
        ],
        results.map(({ path, measured }) => row(path, measured, bare)),
      ),
      costOfCandidate(results),
      await exactness(),
    ].join('\n\n');
  } finally {
    for (const server of servers.values()) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function environment(folder: string, name: 'sluice' | 'trying' | 'opened'): Record<string, string> {
  const limit = { limit: NO_LIMIT, window_seconds: 60 };
  const closed = { ip: { limit: EXACT.limit, window_seconds: 3600 } };
  const policies = { classes: { read: { ip: limit }, sensitive: closed }, global: limit };
  return serverEnvironment(PORTS[name], join(folder, name), policies);
}

/** Sets a candidate for the address limit, with another window, which is the most expensive kind. */
async function tryCandidate(): Promise<void> {
  const candidate = { place: 'classes.read.ip', limit: NO_LIMIT / 2, window_seconds: 30, reason: 'What does it cost?' };
  const response = await fetch(`http://127.0.0.1:${PORTS.trying}/v1/admin/candidates`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'X-Admin-Token': TOKEN },
    body: JSON.stringify(candidate),
  });
  if (!response.ok) throw new Error(`No candidate: ${response.status} ${await response.text()}`);
}

/** Opens a page. From then on Node 20 tracks every asynchronous call of the process, because Next needs that. */
async function openPage(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${PORTS.opened}/sign-in`);
  if (!response.ok) throw new Error(`No page: ${response.status}`);
}

/** @param tokens of the server without a candidate, of the one with it, and of the one on which a page was opened */
function paths(tokens: { plain: string; trying: string; opened: string }): Path[] {
  const json = { 'Content-Type': 'application/json' };
  const token = { 'X-Admin-Token': tokens.plain };
  const addresses = Array.from({ length: CLIENTS }, (_, i) => `10.${i >> 14}.${(i >> 7) & 127}.${i & 127}`);
  const question = (ip: string) => ({ class: 'read', ip });
  const batches = Array.from({ length: CLIENTS / BATCH }, (_, i) => addresses.slice(i * BATCH, (i + 1) * BATCH));
  const by = {
    server: 'sluice' as const,
    connections: 50,
    decisions: 1,
    method: 'POST' as const,
    headers: { ...json, ...token },
    bodies: [''],
  };
  const peer = { ...by, headers: { ...json }, bodies: addresses.map((ip) => JSON.stringify(question(ip))) };
  const check: Path = { ...peer, name: '`POST /v1/check`', path: '/v1/check', headers: by.headers, goal: '0.55 ×' };
  const batch: Path = {
    ...by,
    name: `\`POST /v1/check/batch\` of ${BATCH}`,
    path: '/v1/check/batch',
    connections: 10,
    decisions: BATCH,
    goal: '100,000 decisions a core-second',
    bodies: batches.map((batch) => JSON.stringify(batch.map(question))),
  };
  const addCandidate = (without: Path): Path => ({
    ...without,
    name: `${without.name} with a candidate`,
    server: 'trying',
    headers: { ...json, 'X-Admin-Token': tokens.trying },
    goal: '',
    without,
  });
  const forwardAuth: Path = {
    ...by,
    name: '`GET /v1/forward-auth`',
    path: '/v1/forward-auth',
    goal: '0.7 ×',
    method: 'GET',
    headers: { ...token, 'X-Forwarded-For': '203.0.113.7', 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': '/api/x' },
  };
  const waitForPage = (path: Path): Path => ({
    ...path,
    name: `${path.name} after a page was opened`,
    server: 'opened',
    headers: { ...path.headers, 'X-Admin-Token': tokens.opened },
    goal: '',
  });
  return [
    { ...peer, name: 'a bare `node:http` server', server: 'bare', path: '/', decisions: 0 },
    check,
    addCandidate(check),
    batch,
    addCandidate(batch),
    forwardAuth,
    waitForPage(check),
    waitForPage(forwardAuth),
    { ...peer, name: 'fastify + @fastify/rate-limit', server: 'fastify', path: '/' },
    { ...peer, name: 'express + express-rate-limit', server: 'express', path: '/' },
  ];
}

/** Describes how much more processor time a decision takes with a candidate. */
function costOfCandidate(results: readonly { path: Path; measured: Measured }[]): string {
  const more = results.flatMap(({ path, measured }) => {
    const without = results.find((other) => other.path === path.without);
    if (without === undefined) return [];
    return `${without.path.name} +${Math.round((without.measured.perCore / measured.perCore - 1) * 100)} %`;
  });
  return `A candidate with a window of its own, processor time of a decision: ${more.join(', ')}.`;
}

/** Measures the paths in turn, round after round. The first round warms up. */
async function measure(all: Path[], servers: Map<string, HttpServer>, rounds: number) {
  const seen = all.map((): Measured[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, path] of all.entries()) {
      const server = servers.get(path.server);
      if (server === undefined) throw new Error(`${path.server} does not run.`);
      const measured = await load(path.name, server, path.connections, round === 0 ? 2 : SECONDS, {
        requests: [buildRequest(path)],
      });
      if (round > 0) seen[index]?.push(measured);
    }
  }
  return all.map((path, index) => {
    const of = (field: keyof Measured) => median((seen[index] ?? []).map((measured) => measured[field]));
    return { path, measured: { rate: of('rate'), perCore: of('perCore'), p50: of('p50'), p99: of('p99') } };
  });
}

/** Builds a request that cycles through the path's bodies. */
function buildRequest(path: Path): autocannon.Request {
  let next = 0;
  return {
    method: path.method,
    path: path.path,
    headers: path.headers,
    setupRequest: (request) => {
      next = (next + 1) % path.bodies.length;
      if (path.method === 'GET') return request;
      // The peers read the client from a header, because they decide before the body arrives.
      const headers =
        'X-Admin-Token' in path.headers ? request.headers : { ...request.headers, 'x-client': String(next) };
      return { ...request, headers, body: path.bodies[next] };
    },
  };
}

function row({ name, connections, decisions, goal = '' }: Path, { rate, perCore, p50, p99 }: Measured, bare: number) {
  return [
    `${name}, ${connections} connections`,
    formatThousands(rate),
    decisions === 0 ? '' : formatThousands(rate * decisions),
    decisions === 0 ? `(${formatThousands(perCore)} requests)` : formatThousands(perCore * decisions),
    `${(perCore / bare).toFixed(2)} ×`,
    goal,
    String(p50),
    String(p99),
  ];
}

/** Checks that a limit holds while 50 connections send requests of one client. */
async function exactness(): Promise<string> {
  let admitted = 0;
  const count = (body: unknown) => {
    if (String(body).includes('"allowed":true')) admitted += 1;
  };
  const client = autocannon({
    url: `http://127.0.0.1:${PORTS.sluice}/v1/check`,
    method: 'POST',
    connections: 50,
    amount: EXACT.calls,
    headers: { 'Content-Type': 'application/json', 'X-Admin-Token': TOKEN },
    body: JSON.stringify({ class: 'sensitive', ip: '203.0.113.8' }),
    requests: [{ onResponse: (_status, body) => count(body) }],
  });
  await client;
  const calls = formatThousands(EXACT.calls);
  return `One client with a limit of ${formatThousands(EXACT.limit)} and ${calls} checks over 50 connections: ${formatThousands(admitted)} admitted.`;
}
