import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../tests/fixtures/free-port';
import { isInstalled } from '../tests/fixtures/programs';
import { EXACTNESS_HEAD, exactnessCells, worst } from './arrivals';
import { gatewayToken, load, type Measured } from './http-load';
import { type HttpServer, leaveFirstCore, startProgram, startServer } from './http-server';
import type { Limiter, Rule } from './limiters';
import { neededBuild } from './needed-build';
import { haproxyConfiguration, nginxConfiguration } from './peer-configurations';
import { formatThousands, median, table } from './rounds';
import { serverEnvironment, TOKEN } from './server-environment';

const SECONDS = 3;
const CONNECTIONS = 50;
const CLIENTS = 20_000;
const NO_LIMIT = 1_000_000_000;

interface Sent {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** A server that answers 200, or any other status except an error to clients it refuses. */
interface Peer {
  name: string;
  server: HttpServer;
  /** Requests of a client: without a limit, and with the judged one. Null without a limiter. */
  fast: (client: number) => Sent;
  exact: ((client: number) => Sent) | null;
}

/** Measures servers with one decision per request. */
export async function servers(rule: Rule, rounds: number, plays: number): Promise<string[]> {
  const needed = neededBuild();
  if (needed !== null) return [`No servers. ${needed}`];
  const cores = leaveFirstCore();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const running: HttpServer[] = [];
  const missing: string[] = [];
  try {
    const peers = await start(folder, rule, running, missing);
    const speeds = await measure(peers, rounds);
    const exactness = await Promise.all(
      peers.map(({ name, server, exact }) => exact && worst(createServerLimiter(name, server, exact), rule, plays)),
    );
    const sluice = speeds[0]?.perCore ?? Number.NaN;
    return [
      `**Servers over HTTP** (${CONNECTIONS} keep-alive connections, ${cores}; ${formatThousands(CLIENTS)} clients, nobody refused). Every server is one process with one thread that answers by itself, without a backend. ` +
        'Requests a second of the fastest are what the load generator can ask; the processor time is that of the server alone. ' +
        'Sluice looks up a token, and commits every decision to its file before it answers, exact over all processes on it; nginx and HAProxy count in the memory of one.',
      ...missing.map((name) => `**${name} is not installed: left out.**`),
      table(
        ['', 'requests/s', 'µs of processor a decision', 'Sluice / it, by processor', 'p99 ms', ...EXACTNESS_HEAD],
        peers.map(({ name }, i) => {
          const { rate, perCore, p99 } = speeds[i] ?? { rate: 0, perCore: 0, p99: 0 };
          const ratio = i === 0 ? '' : `${(sluice / perCore).toFixed(2)} ×`;
          const time = (1_000_000 / perCore).toFixed(1);
          return [name, formatThousands(rate), time, ratio, String(p99), ...exactnessCells(exactness[i])];
        }),
      ),
    ];
  } finally {
    for (const server of running) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(folder: string, rule: Rule, running: HttpServer[], missing: string[]): Promise<Peer[]> {
  const started = async (server: Promise<HttpServer>) => {
    running.push(await server);
    return server;
  };
  const [sluicePort, barePort, port] = [await freePort(), await freePort(), await freePort()];
  const args = ['--max-semi-space-size=32', 'server.mjs'];
  const sluice = await started(startServer(args, sluicePort, '/readyz', environment(folder, sluicePort, rule)));
  const token = await gatewayToken(sluice.origin, TOKEN);
  const bare = await started(
    startServer(['bench/http-peers.mjs', 'bare', String(barePort), String(NO_LIMIT)], barePort, '/'),
  );
  const by = (path: string) => (client: number) => requestByHeader(path, client);
  const peers: Peer[] = [
    {
      name: 'Sluice, `GET /v1/forward-auth`',
      server: sluice,
      fast: forwardAuth(token, 'GET'),
      exact: forwardAuth(token, 'POST'),
    },
    { name: 'Sluice, `POST /v1/check`', server: sluice, fast: check(token, 'read'), exact: check(token, 'write') },
  ];
  if (isInstalled('nginx')) {
    const configuration = join(folder, 'nginx.conf');
    writeFileSync(configuration, nginxConfiguration(folder, port, rule));
    const nginx = await started(startProgram(['nginx', '-p', folder, '-c', configuration], port, '/fast'));
    const named = (what: string, path: string) => ({
      name: `nginx \`limit_req\`, ${what}`,
      server: nginx,
      fast: by('/fast'),
      exact: by(path),
    });
    peers.push(named(`\`burst=${rule.limit - 1} nodelay\``, '/burst'), named('no burst', '/spaced'));
  } else missing.push(reportMissing('nginx'));
  if (isInstalled('haproxy')) {
    const configuration = join(folder, 'haproxy.cfg');
    const haproxyPort = await freePort();
    writeFileSync(configuration, haproxyConfiguration(haproxyPort, rule));
    const haproxy = await started(startProgram(['haproxy', '-db', '-f', configuration], haproxyPort, '/fast'));
    peers.push({ name: 'HAProxy stick table', server: haproxy, fast: by('/fast'), exact: by('/exact') });
  } else missing.push(reportMissing('haproxy'));
  return [...peers, { name: 'a bare `node:http` server, no limiter', server: bare, fast: by('/'), exact: null }];
}

function reportMissing(program: string): string {
  process.stdout.write(`SKIPPED: bench peers: ${program} is not installed\n`);
  return program;
}

function environment(folder: string, port: number, { limit, seconds }: Rule): Record<string, string> {
  const none = { limit: NO_LIMIT, window_seconds: 60 };
  const classes = { read: { ip: none }, write: { ip: { limit, window_seconds: seconds } } };
  return serverEnvironment(port, folder, { classes, global: none });
}

const address = (client: number) => `10.${client >> 14}.${(client >> 7) & 127}.${client & 127}`;

function forwardAuth(token: string, method: 'GET' | 'POST'): (client: number) => Sent {
  const fields = { 'X-Admin-Token': token, 'X-Forwarded-Method': method, 'X-Forwarded-Uri': '/api/orders' };
  return (client) => ({
    method: 'GET',
    path: '/v1/forward-auth',
    headers: { ...fields, 'X-Forwarded-For': address(client) },
  });
}

/** Uses separate clients for the judged limit, whose counters are separate from those of forward-auth. */
function check(token: string, endpointClass: 'read' | 'write'): (client: number) => Sent {
  return (client) => ({
    method: 'POST',
    path: '/v1/check',
    headers: { 'X-Admin-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ class: endpointClass, ip: address(client + 2 * CLIENTS) }),
  });
}

function requestByHeader(path: string, client: number): Sent {
  return { method: 'GET', path, headers: { 'X-Client': address(client) } };
}

/** Measures all servers in each round, so that their order does not matter. The first round warms up. */
async function measure(peers: readonly Peer[], rounds: number): Promise<Measured[]> {
  const seen = peers.map((): Measured[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, { name, server, fast }] of peers.entries()) {
      const measured = await load(name, server, CONNECTIONS, round === 0 ? 2 : SECONDS, cycleRequests(fast));
      if (round > 0) seen[i]?.push(measured);
    }
  }
  return seen.map((all) => {
    const of = (name: keyof Measured) => median(all.map((measured) => measured[name]));
    return { rate: of('rate'), perCore: of('perCore'), p50: of('p50'), p99: of('p99') };
  });
}

/** Gives each connection its own clients and prepares their requests, so that the load generator has little work. */
function cycleRequests(of: (client: number) => Sent): Parameters<typeof load>[4] {
  const each = CLIENTS / CONNECTIONS;
  let connections = 0;
  return {
    setupClient: (connection) => {
      const first = connections * each;
      connections += 1;
      connection.setRequests(Array.from({ length: each }, (_, i) => of(first + i)));
    },
  };
}

function createServerLimiter(name: string, { origin }: HttpServer, of: (client: number) => Sent): Limiter {
  const agent = new Agent({ keepAlive: true });
  return {
    name,
    admits: async (client) => {
      const { body, path, ...options } = of(Number(client.split(' ')[1]));
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request(`${origin}${path}`, { agent, ...options }, resolve)
          .once('error', reject)
          .end(body);
      });
      const said = await text(answer);
      return answer.statusCode === 200 && !said.startsWith('{"allowed":false');
    },
  };
}
