import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '@/lib/admin/keys/create';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { call } from '@/tests/fixtures/call';
import { type TestServices, testServices } from '@/tests/fixtures/services';

let process: TestServices;
beforeAll(async () => {
  process = await testServices();
  const body = { clients: { confidential: { limit: 1_000_000 } }, classes: { read: { user: { limit: 1_000_000 } } } };
  await call(process.services, patchPolicies, { body });
});
afterAll(() => process[Symbol.dispose]());

/** What is reset: how a request counts for it, how it is cleared, and what is left. */
interface Subject {
  request(): Promise<unknown>;
  reset(): Promise<unknown>;
  used(): Promise<number>;
}

let subjects = 0;
async function quota(): Promise<Subject> {
  subjects += 1;
  const { services } = process;
  const body = { name: `key ${subjects}`, tier: 'enterprise' };
  const { id, secret } = (await call(services, createApiKey, { body })).json;
  return {
    request: () =>
      services.engine.decide({ method: 'GET', path: '/', address: undefined, apiKey: secret, requestId: null }),
    reset: () => call(services, resetQuota, { params: { api_key: id } }),
    used: async () => (await call(services, getQuota, { params: { api_key: id } })).json.usage,
  };
}

async function counters(): Promise<Subject> {
  subjects += 1;
  const { services } = process;
  const target = { type: 'user_id', identifier: `user ${subjects}` };
  return {
    request: () =>
      services.engine.decide({
        method: 'GET',
        path: '/',
        address: undefined,
        userId: target.identifier,
        class: 'read',
        requestId: null,
      }),
    reset: () => call(services, resetCounters, { body: target }),
    used: async () => {
      const { json } = await call(services, inspectCounters, { query: target });
      return json.counters.find((counter: { class: string }) => counter.class === 'read').used;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test.each([
  ['a quota', quota],
  ['counters', counters],
] as const)('after a reset of %s, what is used is what was acknowledged since', async (_, make) => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(20),
      fc.array(fc.constantFrom('request', 'turn', 'reset'), { maxLength: 40 }),
      fc.nat(20),
      async (before, meanwhile, after) => {
        const subject = await make();
        for (let n = 0; n < before; n += 1) await subject.request();
        expect(await subject.used()).toBe(before);

        // Acknowledged once the last reset was asked for, and asked for once it was acknowledged: the first may count,
        // the second must.
        let mayCount = before;
        let mustCount = 0;
        let lastAsked = 0;
        let lastDone = 0;
        const running: Promise<unknown>[] = [];
        const reset = () => {
          lastAsked += 1;
          mayCount = 0;
          const own = lastAsked;
          running.push(
            subject.reset().then(() => {
              lastDone = own;
              mustCount = 0;
            }),
          );
        };
        const request = () => {
          const settled = lastDone === lastAsked;
          running.push(
            subject.request().then(() => {
              mayCount += 1;
              if (settled && lastDone === lastAsked) mustCount += 1;
            }),
          );
        };
        for (const step of meanwhile) {
          if (step === 'request') request();
          else if (step === 'reset') reset();
          else await turn();
        }
        await Promise.all(running);
        if (lastAsked === 0) reset();
        await Promise.all(running);
        const left = await subject.used();
        expect(left).toBeLessThanOrEqual(mayCount);
        expect(left).toBeGreaterThanOrEqual(mustCount);

        await subject.reset();
        for (let n = 0; n < after; n += 1) await subject.request();
        expect(await subject.used()).toBe(after);
      },
    ),
    { numRuns: 25 },
  );
});
