import { join } from 'node:path';
import type autocannon from 'autocannon';
import { measureFunctionStarts } from './function-starts';
import { gatewayToken, load, type Measured } from './http-load';
import { type HttpServer, leaveFirstCore, startServer } from './http-server';
import { neededBuild } from './needed-build';
import { BARE_PATH, buildBareApp, NEXT } from './next-app';
import { formatThousands, median, table } from './rounds';
import { runInFolder } from './run-in-folder';
import { serverEnvironment, TOKEN } from './server-environment';

const SECONDS = 4;
const CONNECTIONS = 20;
const CLIENTS = 20_000;
const BATCH = 100;
const NO_LIMIT = 1_000_000_000;
const PORTS = { bare: 4340, proxied: 4341, next: 4342, own: 4343 };
type ServerName = keyof typeof PORTS;

/** One kind of request. */
interface Path {
  name: string;
  server: ServerName;
  path: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  bodies: readonly string[];
  decisions: number;
  goal?: string;
}

/**
 * Compares Sluice on `next start`, as on Vercel, with a route handler of an application that does nothing else, and with
 * `server.mjs`.
 */
export async function run({ rounds = 5 }: { rounds?: number } = {}): Promise<string> {
  const needed = neededBuild();
  if (needed !== null) return needed;
  return runInFolder(async (folder) => {
    const apps = {
      bare: await buildBareApp(join(folder, 'bare'), false),
      proxied: await buildBareApp(join(folder, 'proxied'), true),
    };
    const cores = leaveFirstCore();
    const servers = new Map<ServerName, HttpServer>();
    try {
      for (const name of ['bare', 'proxied'] as const)
        servers.set(name, await startServer(nextStart(name, apps[name]), PORTS[name], BARE_PATH));
      servers.set('next', await startServer(nextStart('next'), PORTS.next, '/readyz', environment(folder, 'next')));
      const own = ['--max-semi-space-size=32', 'server.mjs'];
      servers.set('own', await startServer(own, PORTS.own, '/readyz', environment(folder, 'own')));
      const createToken = (name: ServerName) => gatewayToken(`http://127.0.0.1:${PORTS[name]}`, TOKEN);
      const all = listPaths(await createToken('next'), await createToken('own'));
      const results = await measure(all, servers, rounds);
      return [
        `Median of ${rounds} interleaved rounds of ${SECONDS} s, ${cores}; ${CONNECTIONS} keep-alive connections, embedded file.`,
        table(
          [
            '',
            'requests/s',
            'decisions/s',
            'CPU per request',
            'rate, bare = 1',
            'requests per core-second, bare = 1',
            'goal',
          ],
          results.map((result) => row(result, results)),
        ),
        await measureFunctionStarts(apps.bare),
      ].join('\n\n');
    } finally {
      for (const server of servers.values()) await server.stop();
    }
  });
}

const nextStart = (name: ServerName, folder?: string) => [
  ...[NEXT, 'start', ...(folder === undefined ? [] : [folder])],
  ...['--hostname', '127.0.0.1', '--port', String(PORTS[name])],
];

function environment(folder: string, name: ServerName): Record<string, string> {
  const limit = { limit: NO_LIMIT, window_seconds: 60 };
  const policies = { classes: { read: { ip: limit }, auth: { ip: limit } }, global: limit };
  return serverEnvironment(PORTS[name], join(folder, name), policies);
}

/** @param next token of the server of Next @param own token of `server.mjs` */
function listPaths(next: string, own: string): Path[] {
  const json = { 'Content-Type': 'application/json' };
  const question = (index: number) => ({ class: 'read', ip: `10.${index >> 14}.${(index >> 7) & 127}.${index & 127}` });
  const single = Array.from({ length: CLIENTS }, (_, index) => JSON.stringify(question(index)));
  const batches = Array.from({ length: CLIENTS / BATCH }, (_, batch) =>
    JSON.stringify(Array.from({ length: BATCH }, (_, index) => question(batch * BATCH + index))),
  );
  const bare: Path = {
    ...{ name: 'a bare route handler of Next', server: 'bare', path: BARE_PATH, method: 'POST' },
    ...{ headers: json, bodies: single, decisions: 0 },
  };
  const page: Path = { ...bare, name: 'a page (`/sign-in`)', path: '/sign-in', method: 'GET', headers: {}, bodies: [] };
  const on = (server: 'next' | 'own', token: string, goals: { check?: string; batch?: string }): Path[] => {
    const host = server === 'next' ? '`next start`' : '`server.mjs`';
    const headers = { ...json, 'X-Admin-Token': token };
    const check: Path = {
      ...bare,
      server,
      path: '/v1/check',
      headers,
      decisions: 1,
      name: `\`POST /v1/check\`, ${host}`,
    };
    const batch = { ...check, path: '/v1/check/batch', bodies: batches, decisions: BATCH };
    const guarded = { ...page, server, path: '/auth/jwks', decisions: 1 };
    return [
      { ...check, goal: goals.check ?? '' },
      { ...batch, name: `batches of ${BATCH}, ${host}`, goal: goals.batch ?? '' },
      { ...guarded, name: `a protected route (\`/auth/jwks\`), ${host}` },
      { ...page, server, name: `${page.name}, ${host}` },
    ];
  };
  return [
    bare,
    { ...bare, server: 'proxied', name: 'the same behind a `proxy.ts` that does nothing' },
    ...on('next', next, { check: '0.9', batch: '20,000 decisions/s' }),
    ...on('own', own, {}),
  ];
}

interface Result {
  path: Path;
  measured: Measured;
}

/** Measures the paths in turn, round after round. The first round warms up. */
async function measure(all: readonly Path[], servers: Map<ServerName, HttpServer>, rounds: number): Promise<Result[]> {
  const seen = all.map((): Measured[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, path] of all.entries()) {
      const server = servers.get(path.server);
      if (server === undefined) throw new Error(`${path.server} does not run.`);
      const measured = await load(path.name, server, CONNECTIONS, round === 0 ? 2 : SECONDS, {
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

/** Builds a request that cycles through the bodies of the path. */
function buildRequest({ method, path, headers, bodies }: Path): autocannon.Request {
  let next = 0;
  return {
    method,
    path,
    headers,
    setupRequest: (request) => {
      if (bodies.length === 0) return request;
      next = (next + 1) % bodies.length;
      return { ...request, body: bodies[next] };
    },
  };
}

function row({ path, measured }: Result, [bare]: readonly Result[]) {
  const ratio = (of: (measured: Measured) => number) => (of(measured) / (bare ? of(bare.measured) : 1)).toFixed(2);
  return [
    path.name,
    formatThousands(measured.rate),
    path.decisions === 0 ? '' : formatThousands(measured.rate * path.decisions),
    `${formatThousands(1_000_000 / measured.perCore)} µs`,
    ratio(({ rate }) => rate),
    ratio(({ perCore }) => perCore),
    path.goal ?? '',
  ];
}
