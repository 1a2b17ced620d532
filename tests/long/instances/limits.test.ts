import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '@/tests/fixtures/free-port';
import {
  type Checked,
  check,
  checkMany,
  type Instances,
  type Shared,
  startInstances,
} from '@/tests/fixtures/instances';
import { faketimeIsMissing, otherClock } from '@/tests/fixtures/other-clock';
import type { Product } from '@/tests/fixtures/product';
import { redisIsMissing } from '@/tests/fixtures/redis-server';
import { sqldIsMissing } from '@/tests/fixtures/sqld-server';
import { TcpRelay } from '@/tests/fixtures/tcp-relay';
import { until } from '@/tests/fixtures/until';

const LIMIT = 3_000;
/** So long that nothing comes back while the test runs. */
const POLICIES = {
  classes: {
    auth: { ip: { limit: LIMIT, window_seconds: 86_400 } },
    read: { ip: { limit: LIMIT, window_seconds: 86_400 } },
  },
};

const missing = [redisIsMissing('api/instances (limits)'), sqldIsMissing('api/instances (limits)')].includes(true);

describe.skipIf(missing)('several instances admit together', () => {
  let instances: Instances | null = null;
  let relay: TcpRelay | null = null;
  afterEach(async () => {
    await instances?.stop();
    await relay?.stop();
    instances = relay = null;
  });

  async function start(
    count: number,
    shared: Shared,
    options: { env?: readonly Record<string, string>[]; redisPort?: number } = {},
  ): Promise<readonly Product[]> {
    instances = await startInstances({ count, shared, ...options });
    const [first] = instances.all as [Product];
    expect((await first.admin('PATCH', '/v1/admin/policies', POLICIES)).status).toBe(200);
    return instances.all;
  }

  it.each<Shared>(['file and Redis', 'sqld', 'sqld and Redis'])(
    'exactly the limit: four instances on %s under load',
    async (shared) => {
      const all = await start(4, shared);
      // A machine that is too busy can keep an instance from its store for a moment. What it answers then is marked, and
      // is none of what the store has counted; three floods without such a moment are asked for.
      let exact = 0;
      for (let run = 0; exact < 3; run += 1) {
        expect(run, 'floods that met a store that was down').toBeLessThan(12);
        for (const product of all) await recovered(product, '198.51.100.1');
        const ip = `203.0.113.${run}`;
        const floods = await Promise.all(
          all.map((product) => flood(product, { class: 'read', ip }, { callers: 4, each: 10 })),
        );
        const answers = floods.flat();
        expect(answers).toHaveLength(4 * 4 * 10 * BATCH);
        const counted = answers.filter(({ status }) => status === undefined);
        expect(admitted(counted)).toBeLessThanOrEqual(LIMIT);
        if (counted.length < answers.length) continue;
        expect(admitted(answers)).toBe(LIMIT);
        expect(new Set(refusals(answers))).toEqual(new Set(['rate_limit_exceeded']));
        exact += 1;
      }
    },
  );

  it('never above the limit when one is killed in the middle, and at most what it had asked for below it', async () => {
    const all = await start(4, 'file and Redis');
    const [victim, ...healthy] = all as [Product, Product, Product, Product];
    const question = { class: 'read', ip: '203.0.113.50' };
    let seen = 0;
    const count = (answers: readonly Checked[]) => {
      seen += admitted(answers);
    };
    const dying = flood(victim, question, { callers: 4, each: 1_000, onAnswers: count }).catch(
      (error: unknown) => error,
    );
    const living = healthy.map((product) => flood(product, question, { callers: 2, each: 30, onAnswers: count }));
    await until(() => seen >= LIMIT / 3);
    await victim.kill();
    expect(await dying).toBeInstanceOf(Error);
    await Promise.all(living);
    expect(seen).toBeLessThanOrEqual(LIMIT);
    // What the victim had counted and not told anybody: at most the batches that were on their way to it.
    expect(seen).toBeGreaterThanOrEqual(LIMIT - 4 * BATCH);
    expect(await check(healthy[0], question)).toMatchObject({ allowed: false, error: 'rate_limit_exceeded' });
    // Another one in its place knows what all have counted.
    const successor = await (instances as Instances).join();
    expect(await check(successor, question)).toMatchObject({ allowed: false, error: 'rate_limit_exceeded' });
  });

  it('never above the limit on the healthy ones when one is cut off from Redis in the middle', async () => {
    const redisPort = await freePort();
    const between = await TcpRelay.start(redisPort);
    relay = between;
    const env = [{ REDIS_URL: `redis://127.0.0.1:${between.port}` }];
    const all = await start(4, 'file and Redis', { env, redisPort });
    const [lost, ...healthy] = all as [Product, Product, Product, Product];
    let round = 0;
    for (const cut of ['swallow', 'refuse'] as const) {
      // Where the machine is too busy, a healthy instance gives up on its store for a moment as well and says so: such a
      // round proves that the store never counts above the limit, and another round asks for the exact number.
      let exact = false;
      for (; !exact; round += 1) {
        expect(round, 'rounds in which a healthy instance lost its store').toBeLessThan(12);
        for (const product of all) await recovered(product, `198.51.100.${200 + round}`);
        const question = { class: 'read', ip: `203.0.113.${60 + round}` };
        // Together they count, the one that will be cut off among them.
        const before = await Promise.all(all.map((product) => flood(product, question, { callers: 1, each: 10 })));
        between[cut]();
        const during = Promise.all(healthy.map((product) => flood(product, question, { callers: 2, each: 16 })));
        // Strangers at the instance that is cut off: nobody is told that he asked too often.
        for (let i = 0; i < 10; i += 1) {
          const ip = `198.51.100.${round * 10 + i}`;
          const read = await check(lost, { class: 'read', ip });
          expect(read).toMatchObject({ allowed: true, status: 'degraded', limit: LIMIT / 2 });
          const signIn = await check(lost, { class: 'auth', ip });
          expect(signIn).toMatchObject({ allowed: false, error: 'service_unavailable' });
          expect(signIn.retry_after).toBeGreaterThanOrEqual(1);
        }
        // The same client there: half the limit of its own, and not counted with the others.
        const alone = await flood(lost, question, { callers: 1, each: 80 });
        expect(new Set(alone.map(({ status }) => status))).toEqual(new Set(['degraded']));
        expect(admitted(alone)).toBe(LIMIT / 2);
        const shared = [...before.flat(), ...(await during).flat()];
        const counted = shared.filter(({ status }) => status === undefined);
        expect(admitted(counted)).toBeLessThanOrEqual(LIMIT);
        exact = counted.length === shared.length;
        if (exact) expect(admitted(counted)).toBe(LIMIT);

        // A change of the rules meanwhile, on an instance that can tell Redis.
        const limit = LIMIT + 1 + round;
        const change = { classes: { auth: { ip: { limit } } } };
        expect((await healthy[0].admin('PATCH', '/v1/admin/policies', change)).status).toBe(200);
        between.repair();
        await recovered(lost, `198.51.100.${220 + round}`);
        const signIn = { class: 'auth', ip: `198.51.100.${220 + round}` };
        await until(async () => (await check(lost, signIn)).status === undefined);
        expect(await check(lost, signIn)).toMatchObject({ limit });
        if (exact) expect(await check(lost, question)).toMatchObject({ allowed: false, error: 'rate_limit_exceeded' });
      }
    }
  });

  it.skipIf(faketimeIsMissing('api/instances (clocks 30 s apart)'))(
    'never above the limit in any window with clocks 30 s apart on one Redis',
    async () => {
      const [right, ahead] = (await start(2, 'file and Redis', { env: [{}, otherClock('+30s')] })) as [
        Product,
        Product,
      ];
      const dates = await Promise.all(
        [right, ahead].map(async ({ origin }) =>
          Date.parse((await fetch(`${origin}/healthz`)).headers.get('date') ?? ''),
        ),
      );
      expect((dates[1] ?? 0) - (dates[0] ?? 0)).toBeGreaterThanOrEqual(28_000);

      const limit = 200;
      const seconds = 6;
      const patch = { classes: { read: { ip: { limit, window_seconds: seconds } } } };
      expect((await right.admin('PATCH', '/v1/admin/policies', patch)).status).toBe(200);
      const question = { class: 'read', ip: '203.0.113.70' };
      // Two windows and a half of both asking all the time, longer where the machine is slow; each admission with the
      // interval in which it was made.
      const made: { begun: number; ended: number; count: number }[] = [];
      const total = () => made.reduce((sum, { count }) => sum + count, 0);
      const end = performance.now() + seconds * 2_500;
      await Promise.all(
        [right, ahead].map(async (product) => {
          while (performance.now() < end || total() <= limit) {
            const begun = performance.now();
            const count = admitted(
              await checkMany(
                product,
                Array.from({ length: 10 }, () => question),
              ),
            );
            if (count > 0) made.push({ begun, ended: performance.now(), count });
            await wait(2);
          }
        }),
      );
      for (const { begun } of made) {
        // Whatever surely lies within a window's length after this moment.
        const inside = made.filter((call) => call.begun >= begun && call.ended <= begun + seconds * 1_000);
        expect(inside.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(limit);
      }
      // And the room is given back to both, not late by the difference of the clocks.
      await wait(seconds * 1_000 * (1 + 1 / 60) + 50);
      for (const product of [right, ahead]) expect(await check(product, question)).toMatchObject({ allowed: true });
      const [mine, other] = await Promise.all([check(right, question), check(ahead, question)]);
      // Of these four, those that are still in the window: all of them where the machine is quick.
      expect(Math.min(mine.remaining ?? -1, other.remaining ?? -1)).toBeGreaterThanOrEqual(limit - 4);
    },
  );
});

const BATCH = 25;

/** Waits until an instance counts in its store again. */
async function recovered(product: Product, ip: string): Promise<void> {
  await until(async () => (await check(product, { class: 'read', ip })).status === undefined);
}

/** So many callers at once, each asking the same `each` times in batches. */
async function flood(
  product: Product,
  question: Record<string, unknown>,
  { callers, each, onAnswers }: { callers: number; each: number; onAnswers?: (answers: readonly Checked[]) => void },
): Promise<Checked[]> {
  const batch = Array.from({ length: BATCH }, () => question);
  const all = await Promise.all(
    Array.from({ length: callers }, async () => {
      const answers: Checked[] = [];
      for (let i = 0; i < each; i += 1) {
        const some = await checkMany(product, batch);
        onAnswers?.(some);
        answers.push(...some);
      }
      return answers;
    }),
  );
  return all.flat();
}

function admitted(answers: readonly Checked[]): number {
  return answers.filter(({ allowed }) => allowed).length;
}

function refusals(answers: readonly Checked[]): (string | undefined)[] {
  return answers.filter(({ allowed }) => !allowed).map(({ error }) => error);
}
