import { createServer, request } from 'node:http';
import express from 'express';
import fc from 'fast-check';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { NextRequest } from 'next/server';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { routesTest } from '@/cli/commands/routes';
import type { CommandContext } from '@/cli/context';
import { limit as limitExpress } from '@/client/adapters/express';
import { limit as limitFastify } from '@/client/adapters/fastify';
import { limit as limitFetch } from '@/client/adapters/fetch';
import { limit as limitHono } from '@/client/adapters/hono';
import { limit as limitKoa } from '@/client/adapters/koa';
import { limit as limitNext } from '@/client/adapters/next';
import type { Check } from '@/client/api';
import { classifyByRules } from '@/client/classify-by-rules';
import { createRouteTester } from '@/components/limits/route-tester';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { createLimit } from '@/lib/admin/named-limits/create';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import type { RouteRules } from '@/lib/contract/route-rules';
import { decideAdmission } from '@/lib/enforcement/admission';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { createUpstreamProxy } from '@/lib/enforcement/upstream-proxy';
import type { Services } from '@/lib/operation/services';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { call } from '../fixtures/call';
import { close, listen } from '../fixtures/listen';
import { LAST_SPELLINGS, SPELLINGS } from '../fixtures/path-spellings';
import { randomRouteRules } from '../fixtures/random-rules';
import { runs } from '../fixtures/runs';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '../fixtures/services';

const PLAIN = ['/auth/token', '/api/things', '/api/things/7/items', '/files/a/b/c', '/Elsewhere', '/x/api/things'];
const PATTERNS = [
  '*',
  '/api/*',
  '/api/:thing',
  '/API/things',
  '/api/things/:id/items',
  '/files/*',
  '/auth/token',
  '/x/*',
];
const MOST_RULES = 5;
const ADDRESS = '192.0.2.1';

/** Fastify answers these before its hooks. */
const INVALID = ['/files/%ff/%61', '/api/%zz', '/files/caf%E9'];

/** Spelled paths, some of them with a query. */
const TARGETS = [...SPELLINGS, ...LAST_SPELLINGS]
  .flatMap(({ of }) => PLAIN.flatMap(of))
  .concat(PLAIN, INVALID, '/files/caf%C3%A9', '/api/things#x')
  .map((path, index) => (index % 7 === 0 ? `${path}?q=/../auth/token` : path));

/** How a face classifies a request. */
interface Seen {
  class: string;
  cost: number;
  /** Named limits of the rules that match. Each rule has its own, so they name the rules. */
  limits: string[];
}

let place: TestServices;
let services: Services;
const events: DecisionEvent[] = [];

beforeAll(async () => {
  const limit = 1_000_000_000;
  const own = { ip: { limit } };
  const classes = { auth: own, sensitive: own, read: own, write: own, lab: own };
  place = await testServices({ SLUICE_POLICIES: JSON.stringify({ classes, global: { limit: 1_000_000 } }) });
  services = place.services;
  vi.spyOn(services.statistics, 'record').mockImplementation((event) => void events.push(event));
  for (let rule = 0; rule < MOST_RULES; rule += 1) {
    const body = { name: `rule-${rule}`, windows: [{ limit, seconds: 60 }] };
    expect((await call(services, createLimit, { body })).status).toBe(201);
  }
});
afterAll(() => {
  vi.restoreAllMocks();
  place[Symbol.dispose]();
});

/** What the events since the last call say, in their order. */
function takeEvents(): Seen[] {
  return events.splice(0).map(({ class: name, cost, limitUses }) => {
    return { class: String(name), cost, limits: limitUses.map(({ name: limit }) => limit) };
  });
}

async function ask(path: string, body: unknown, headers: Record<string, string> = {}) {
  const asked = new Request(`http://localhost:3000${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-admin-token': TEST_ADMIN_TOKEN, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await answerDecisionCall(services, buildDecisionCall(asked));
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body || 'null');
}

/** A face on every target, in order. */
type Face = (method: string, targets: readonly string[]) => Promise<Seen[]>;

const check: Face = async (method, targets) => {
  const answers = await Promise.all(targets.map((path) => ask('/v1/check', { method, path, ip: ADDRESS })));
  const seen = takeEvents();
  expect(seen.map(({ class: name }) => name)).toEqual(answers.map((answer) => answer.class));
  return seen;
};

const batch: Face = async (method, targets) => {
  await ask(
    '/v1/check/batch',
    targets.map((path) => ({ method, path, ip: ADDRESS })),
  );
  return takeEvents();
};

const forwardAuth: Face = async (method, targets) => {
  const headers = { 'x-forwarded-method': method, 'x-forwarded-for': ADDRESS };
  await Promise.all(targets.map((uri) => ask('/v1/forward-auth', undefined, { ...headers, 'x-forwarded-uri': uri })));
  return takeEvents();
};

const upstream: Face = async (method, targets) => {
  const proxy = createUpstreamProxy(services, 'http://localhost:9', 1_000);
  const decide = (target: string) => proxy.decide({ method, target, headers: {}, requestId: 'r' }, null);
  for (const target of targets) expect((await decide(target)).kind).toBe('proxy');
  return takeEvents();
};

/** Next reads paths as the WHATWG parser does. */
const nextProxy: Face = async (method, targets) => {
  const admit = (target: string) =>
    decideAdmission(new Request(`http://localhost${target}`, { method }), services, 'r');
  for (const target of targets) await admit(target);
  return takeEvents();
};

/** `sluice routes test`, and the explanation that it prints. */
const explanation =
  (rules: RouteRules): Face =>
  async (method, targets) => {
    const test = createRouteTester(rules);
    const seen: Seen[] = [];
    for (const path of targets) {
      const printed: string[] = [];
      let json: { class: string; cost: number; class_source: { rule?: number }; subjects: { limit_name?: string }[] };
      const context = {
        async request(_: string, { body }: { body: unknown }) {
          ({ json } = await call(services, explainDecision, { body }));
          return { body: json, text: '' };
        },
        output: {
          json: false,
          paint: (_: string, text: string) => text,
          printLine: async (line: string) => printed.push(line),
        },
      } as unknown as CommandContext;
      await routesTest.run(context, { arguments: { method, path }, options: {} });
      json ??= expect.fail();
      expect(printed[0]).toMatch(new RegExp(`^class ${json.class}, cost ${json.cost}: `));
      const tested = test(method, path);
      expect([path, json.class_source.rule]).toEqual([path, tested?.rule == null ? undefined : tested.rule + 1]);
      const limits = json.subjects.flatMap(({ limit_name: name }) => name ?? []);
      seen.push({ class: json.class, cost: json.cost, limits });
    }
    return seen;
  };

const tester =
  (rules: RouteRules): Face =>
  async (method, targets) => {
    const test = createRouteTester(rules);
    return targets.map((path) => toSeen(test(method, path) ?? expect.fail()));
  };

/** What the client falls back on without the server. */
const client =
  (rules: RouteRules): Face =>
  async (method, targets) => {
    const classify = classifyByRules(rules);
    return targets.map((path) => toSeen(classify(method, path.replace(/[?].*/, ''), { ip: ADDRESS })));
  };

function toSeen({
  class: name,
  cost,
  limits = [],
}: {
  class: string;
  cost: number;
  limits?: readonly { name: string }[] | undefined;
}) {
  return { class: name, cost, limits: [...new Set(limits.map((limit) => limit.name))] };
}

/** Sends every target byte for byte to a server. */
async function sendAll(port: number): Promise<void> {
  for (const path of TARGETS) {
    await new Promise<void>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path }, (answer) => answer.resume().once('end', resolve));
      sent.once('error', reject).end();
    });
  }
}

/** The paths that the adapter of a framework asks about, in the order of the targets. */
interface Asked {
  name: string;
  /** Whether the framework has only a parsed URL. */
  url: boolean;
  paths: string[];
}

async function collectPaths(): Promise<Asked[]> {
  const collected: Asked[] = [];
  const start = (name: string, url: boolean) => {
    const paths: string[] = [];
    collected.push({ name, url, paths });
    return {
      check: async ({ path = '' }: Check) => {
        paths.push(path);
        return { allowed: true, class: 'read', limit: 9, remaining: 8, reset: 60 } as const;
      },
    };
  };
  const serve = async (server: ReturnType<typeof createServer>) => {
    await sendAll(await listen(server));
    await close(server);
  };
  await serve(createServer(express().use(limitExpress(start('express', false)))));
  await serve(createServer(new Koa().use(limitKoa(start('koa', false))).callback()));
  const app = fastify();
  app.addHook('onRequest', limitFastify(start('fastify', false)));
  await sendAll(Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port));
  await app.close();
  const asked = collected.at(-1)?.paths ?? [];
  for (const [index, target] of TARGETS.entries())
    if (INVALID.some((path) => target.startsWith(path))) asked.splice(index, 0, target);
  const hono = new Hono().use(limitHono(start('hono', true), { ip: () => ADDRESS }));
  const fetched = limitFetch(start('fetch', true), { ip: () => ADDRESS })(() => new Response());
  const next = limitNext(start('next', true), { ip: () => ADDRESS });
  for (const target of TARGETS) {
    await hono.request(new Request(`http://localhost${target}`));
    await fetched(new Request(`http://localhost${target}`));
    await next(new NextRequest(`http://localhost${target}`));
  }
  return collected;
}

const parsed = (target: string) => new URL(`http://localhost${target}`).pathname;
const parseTarget = (target: string) => parsed(target) + new URL(`http://localhost${target}`).search;

/** What two faces see differently. */
function differences(targets: readonly string[], expected: readonly Seen[], seen: readonly Seen[]) {
  expect(seen.length).toBe(targets.length);
  return targets.flatMap((target, index) =>
    JSON.stringify(expected[index]) === JSON.stringify(seen[index])
      ? []
      : [{ target, expected: expected[index], seen: seen[index] }],
  );
}

it('every face gives a request the same class, rule and cost, however its path is spelled', async () => {
  expect(TARGETS.length).toBeGreaterThan(300);
  const adapters = await collectPaths();
  let turn = 0;
  const sample = fc.tuple(
    randomRouteRules(PATTERNS, MOST_RULES),
    fc.constantFrom('GET', 'POST', 'OPTIONS', 'PROPFIND'),
  );
  await fc.assert(
    fc.asyncProperty(sample, async ([random, method]) => {
      const rules = random.map((rule, index) => {
        return { ...rule, limits: [{ name: `rule-${index}`, subject: 'ip' }] };
      }) as RouteRules;
      expect((await call(services, replaceRouteRules, { body: rules })).status).toBe(200);
      const expected = await batch(method, TARGETS);
      const ofUrls = await batch(method, TARGETS.map(parsed));
      const faces = { check, forwardAuth, upstream, tester: tester(rules), client: client(rules) };
      for (const [name, face] of Object.entries(faces))
        expect(differences(TARGETS, expected, await face(method, TARGETS)), name).toEqual([]);
      // Each explanation takes about a millisecond, so a run asks for a third of them.
      turn += 1;
      const isAsked = (_: unknown, index: number) => index % 3 === turn % 3;
      const asked = TARGETS.filter(isAsked);
      const explained = await explanation(rules)(method, asked);
      expect(differences(asked, expected.filter(isAsked), explained), 'explanation').toEqual([]);
      expect(differences(TARGETS, ofUrls, await nextProxy(method, TARGETS.map(parseTarget))), 'proxy.ts').toEqual([]);
      for (const { name, url, paths } of adapters)
        expect(differences(TARGETS, url ? ofUrls : expected, await batch(method, paths)), name).toEqual([]);
    }),
    runs(6),
  );
});
