import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import type { Finding } from '@/lib/oauth/assessment/run';
import { type ControlSwitch, enableControlsExcept } from '@/lib/oauth/lab/controls';
import { assessAll } from '@/tests/fixtures/assess-all';
import { assessServer, everythingOf } from '@/tests/fixtures/assess-server';
import { nodeOAuthServer } from '@/tests/fixtures/node-oauth-server';
import { type OidcServer, oidcServer } from '@/tests/fixtures/oidc-server';

// Ten runs at one server must give the same verdicts, on an idle machine and beside a busy one.

const RUNS = 10;
type Assess = () => Promise<{ findings: readonly Finding[]; requests: number }>;

const lab =
  (...off: ControlSwitch[]): Assess =>
  async () => {
    const target = createLabTarget({
      origin: 'https://sluice.example.com',
      controls: enableControlsExcept(...off),
      startAt: Date.now(),
      clock: () => performance.now(),
      random: (length) => randomBytes(length),
    });
    let requests = 0;
    const counted: typeof target = {
      ...target,
      transport(request) {
        requests += 1;
        return target.transport(request);
      },
    };
    const world = { clock: () => performance.now(), sleep, random: (length: number) => randomBytes(length) };
    return { findings: await assessAll(counted, world), requests };
  };

/** Each run signs in itself, because the server gives a session another id whenever the person signs in. */
const assessSignedIn = async (server: OidcServer) =>
  assessServer(everythingOf(server, { cookie: await server.signIn() }));

/** Runs `assess` ten times, and lists every control with several verdicts, with the reasons for each. */
async function findFlapping(assess: Assess) {
  const seen = new Map<string, Map<string, string>>();
  const times: number[] = [];
  let most = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const from = performance.now();
    const { findings, requests } = await assess();
    times.push(performance.now() - from);
    most = Math.max(most, requests);
    for (const { control, verdict } of findings) {
      const kinds = seen.get(control) ?? new Map<string, string>();
      kinds.set(`${verdict.kind} ${verdict.severity ?? ''}`.trim(), verdict.reason);
      seen.set(control, kinds);
    }
  }
  const flapping = [...seen].filter(([, kinds]) => kinds.size > 1);
  return {
    flapping: flapping.map(([control, kinds]) => ({ control, kinds: Object.fromEntries(kinds) })),
    controls: seen.size,
    seconds: Math.max(...times) / 1000,
    requests: most,
  };
}

/** Keeps the processor busy on as many threads, until it is disposed. */
function keepBusy(threads: number): AsyncDisposable {
  const workers = Array.from({ length: threads }, () => new Worker('for (;;) Math.random();', { eval: true }));
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

describe.each([
  ['an idle machine', 0],
  ['a busy machine', 4],
])('on %s', (_, threads) => {
  const check = async (name: string, assess: Assess) => {
    await using _busy = keepBusy(threads);
    const { flapping, ...figures } = await findFlapping(assess);
    process.stderr.write(`${name}, ${threads} busy threads: ${JSON.stringify(figures)}\n`);
    expect(flapping).toEqual([]);
    // Beside other work the time says little.
    if (threads === 0) expect(figures.seconds).toBeLessThan(10);
  };

  test('the lab', () => check('the lab', lab()), 600_000);

  test('the lab with controls off', () => check('weak lab', lab('require-pkce', 'code-single-use')), 600_000);

  test('oidc-provider', async () => {
    await using server = await oidcServer({ consent: 'first-party' });
    await check('oidc-provider', () => assessSignedIn(server));
  }, 600_000);

  test('oidc-provider, weakened', async () => {
    await using server = await oidcServer({ consent: 'ask', weakened: true });
    await check('oidc-provider, weakened', () => assessSignedIn(server));
  }, 600_000);

  test.each([false, true])(
    'oauth2-server, weakened: %s',
    async (weakened) => {
      await using server = await nodeOAuthServer({ weakened });
      const changes = { login: 'cookie', cookie: 'session=1', native_client: undefined, scope: 'read' };
      await check(`oauth2-server ${weakened}`, () => assessServer(everythingOf(server, changes)));
    },
    600_000,
  );
});
