import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '@/client/api';
import { type CheckAnswer, readClass } from '@/client/check-answer';
import type { ClientEvent } from '@/client/client-event';
import { Sluice, type SluiceOptions } from '@/client/sluice';
import type { Services } from '@/lib/operation/services';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';

/** A place that decides, and the requests that reached it. */
interface Place {
  url: string;
  stop: () => Promise<void>;
  place: TestServices;
}

const opened: Place[] = [];
async function open(): Promise<Place> {
  const place = await testServices();
  const server = await decisionServer(place.services as Services);
  const made = { ...server, place };
  opened.push(made);
  return made;
}

let alone: Place;
let together: Place;
beforeAll(async () => {
  [alone, together] = await Promise.all([open(), open()]);
});
afterAll(async () => {
  for (const { stop, place } of opened) {
    await stop();
    place[Symbol.dispose]();
  }
});

function clientOf({ url }: Place, more: Partial<SluiceOptions> = {}) {
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => void events.push(event);
  const sluice = new Sluice({
    url,
    token: TEST_ADMIN_TOKEN,
    timeout: 60_000,
    afterInput: setImmediate,
    onUnreachable: 'throw',
    onEvent,
    ...more,
  });
  const requests = () => events.flatMap((event) => (event.kind === 'request' ? [event] : []));
  return { sluice, requests };
}

/** No turn of the event loop takes long by it, whatever the machine does. */
const still = { now: () => 0, after: () => () => undefined };

/** What the API itself answers to one check. */
async function single({ url }: Place, check: Check): Promise<CheckAnswer> {
  const response = await fetch(`${url}/v1/check`, {
    method: 'POST',
    headers: { 'X-Admin-Token': TEST_ADMIN_TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify(check),
  });
  const body = await response.json();
  if (response.status === 200) return body;
  const { error, error_description, details } = body;
  const limits = { limit: null, remaining: null, reset: null };
  return { allowed: false, class: readClass(check), ...limits, error, error_description, details };
}

const someChecks: fc.Arbitrary<Check[]> = fc.array(
  fc.record(
    {
      class: fc.constantFrom('auth', 'read', 'write', 'sensitive'),
      ip: fc.constantFrom('203.0.113.1', '203.0.113.2', '2001:db8::1', '2001:db8::2', 'no address', ''),
      user_id: fc.constantFrom('alice', 'bob', 'a\u0000b'),
      api_key: fc.constantFrom('sk_unknown', 'two words'),
      client_id: fc.constantFrom('app'),
      client_type: fc.constantFrom('public', 'confidential'),
      method: fc.constantFrom('GET', 'post', 'NO METHOD'),
      path: fc.constantFrom('/auth/token', '/api/x?y', 'nowhere'),
      cost: fc.constantFrom(1, 2, 7, 0, 1.5),
    },
    { requiredKeys: [] },
  ),
  { minLength: 1, maxLength: 40 },
);

describe('checks that are asked at the same time', () => {
  it('are answered in order, each as if it were alone', async () => {
    const { sluice, requests } = clientOf(together, { clock: still });
    let batches = 0;
    await fc.assert(
      fc.asyncProperty(someChecks, async (checks) => {
        const expected: CheckAnswer[] = [];
        for (const check of checks) expected.push(await single(alone, check));
        const answers = await Promise.all(checks.map((check) => sluice.check(check)));
        expect(answers).toEqual(expected);
        batches += 1;
      }),
      { numRuns: 60 },
    );
    expect(requests()).toHaveLength(batches);
  });

  it('travel in one request, even from different callbacks of one turn', async () => {
    const { sluice, requests } = clientOf(together, { clock: still });
    const ask = (ip: string) => sluice.check({ class: 'read', ip });
    await Promise.all([
      ask('198.51.100.1'),
      Promise.resolve().then(() => ask('198.51.100.2')),
      new Promise((resolve) => process.nextTick(resolve)).then(() => ask('198.51.100.3')),
    ]);
    expect(requests()).toMatchObject([{ outcome: 'answered', checks: 3 }]);
  });

  it('are as many as there are: a limit holds across the requests that they need', async () => {
    const { sluice, requests } = clientOf(together, { batch: { size: 700, requests: 2 }, clock: still });
    const check = { class: 'read', ip: '198.51.100.9' } as const;
    const answers = await Promise.all(Array.from({ length: 2_500 }, () => sluice.check(check)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(100);
    const sizes = requests().map(({ checks }) => checks);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2_500);
    expect(Math.max(...sizes)).toBe(700);
  });

  it('are divided evenly when they are many, and leave before the end of a turn that takes long', async () => {
    const time = { now: 0 };
    const clock = { now: () => time.now, after: () => () => undefined };
    const { sluice, requests } = clientOf(together, { clock });
    const ask = (i: number) => sluice.check({ class: 'read', user_id: `many ${i}` });
    const sizes = async (asked: Promise<unknown>[]) => {
      const before = requests().length;
      await Promise.all(asked);
      const sent = requests().slice(before);
      return sent.map(({ checks }) => checks).toSorted((a, b) => a - b);
    };
    expect(await sizes(Array.from({ length: 99 }, (_, i) => ask(i)))).toEqual([99]);
    expect(await sizes(Array.from({ length: 500 }, (_, i) => ask(i)))).toEqual([125, 125, 125, 125]);
    const slowly = (i: number) => {
      time.now += 0.125;
      return ask(i);
    };
    expect(await sizes(Array.from({ length: 50 }, (_, i) => slowly(i)))).toEqual([1, 16, 16, 17]);
  });

  it('wait for a request to come back when enough are under way', async () => {
    const { sluice, requests } = clientOf(together, { batch: { size: 10, requests: 1 }, clock: still });
    const asked = Array.from({ length: 35 }, (_, i) => sluice.check({ class: 'read', user_id: `user ${i}` }));
    expect((await Promise.all(asked)).every(({ allowed }) => allowed)).toBe(true);
    expect(requests().map(({ checks }) => checks)).toEqual([10, 10, 10, 5]);
  });

  it('fit in a body, however long they are', async () => {
    const { sluice, requests } = clientOf(together);
    const path = `/${'ü'.repeat(8_000)}`;
    const asked = Array.from({ length: 200 }, (_, i) => sluice.check({ method: 'GET', path, ip: `192.0.2.${i}` }));
    const answers = await Promise.all(asked);
    expect(answers.every(({ allowed }) => allowed)).toBe(true);
    expect(requests().length).toBeGreaterThan(3);
  });
});

describe('a check that cannot be read', () => {
  it('is refused with what is wrong, and spoils no other', async () => {
    const { sluice } = clientOf(together);
    const [first, bad, last] = await Promise.all([
      sluice.check({ class: 'read', user_id: 'one' }),
      sluice.check({ class: 'read', ip: '203.0.113.256' }),
      sluice.check({ class: 'read', user_id: 'two' }),
    ]);
    expect([first?.allowed, last?.allowed]).toEqual([true, true]);
    expect(bad).toMatchObject({
      allowed: false,
      error: 'invalid_request',
      details: [{ path: 'ip', message: 'must be an IP address' }],
    });
  });

  it('is refused although it is no check at all', async () => {
    const { sluice, requests } = clientOf(together);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const nonsense of [null, undefined, 7, 'text', [], circular, { cost: 1n }] as unknown as Check[]) {
      expect(await sluice.check(nonsense)).toMatchObject({ allowed: false, error: 'invalid_request' });
    }
    expect(requests()).toEqual([]);
  });

  it('is refused when it is too large for a request', async () => {
    const { sluice } = clientOf(together);
    const [large, other] = await Promise.all([
      sluice.check({ class: 'read', user_id: 'x'.repeat(2_000_000) }),
      sluice.check({ class: 'read', user_id: 'carol' }),
    ]);
    expect(large).toMatchObject({ allowed: false, error: 'payload_too_large' });
    expect(other?.allowed).toBe(true);
  });
});

describe('a refusal that is remembered', () => {
  it('is repeated without asking until it would not hold', async () => {
    const { place } = together;
    const clock = { now: place.services.clock, after: () => () => undefined };
    const { sluice, requests } = clientOf(together, { rememberRefusals: true, clock });
    const check = { class: 'auth', ip: '192.0.2.77' } as const;
    await Promise.all(Array.from({ length: 11 }, () => sluice.check(check)));
    const asked = requests().length;
    const refused = await sluice.check(check);
    expect(refused).toMatchObject({ allowed: false, status: 'remembered', error: 'rate_limit_exceeded', limit: 10 });
    expect(requests()).toHaveLength(asked);
    place.clock.advance((refused.retry_after ?? 0) * 1000);
    expect(await sluice.check(check)).toMatchObject({ allowed: true });
  });

  it('admits and refuses exactly what asking each time would', async () => {
    const step = fc.oneof(
      { arbitrary: fc.record({ seconds: fc.integer({ min: 0, max: 40 }) }), weight: 1 },
      {
        arbitrary: fc.record({
          class: fc.constantFrom('auth' as const, 'read' as const),
          ip: fc.constantFrom('192.0.2.1', '192.0.2.2'),
          user_id: fc.constantFrom(undefined, 'erin'),
          cost: fc.constantFrom(1, 4, 9, 11),
        }),
        weight: 4,
      },
    );
    // The third of these is refused from memory, so every run has a refusal that is remembered.
    const costs = [9, 4, 4].map((cost) => ({ class: 'auth' as const, ip: '192.0.2.1', user_id: undefined, cost }));
    const clocks = [alone.place.clock, together.place.clock];
    let remembered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        for (const clock of clocks) clock.now = Math.max(...clocks.map(({ now }) => now)) + 7_200_000;
        const clock = { now: together.place.services.clock, after: () => () => undefined };
        const { sluice } = clientOf(together, { rememberRefusals: true, clock });
        for (const asked of [...costs, ...steps]) {
          if ('seconds' in asked) for (const own of clocks) own.advance(asked.seconds * 1_000);
          else {
            const [expected, answer] = [await single(alone, asked), await sluice.check(asked)];
            if (answer.status === 'remembered') remembered += 1;
            expect([answer.allowed, answer.error]).toEqual([expected.allowed, expected.error]);
            // Others may have taken what came back meanwhile: the server may say a later moment, never an earlier one.
            expect(answer.retry_after ?? 0).toBeLessThanOrEqual(expected.retry_after ?? 0);
          }
        }
      }),
      { numRuns: 15 },
    );
    expect(remembered).toBeGreaterThan(10);
  });
});

it('a refused token decides nothing, and says so', async () => {
  const { sluice, requests } = clientOf(together, {
    token: 'wrong-token-0123456789-0123456789',
    onUnreachable: 'allow',
  });
  expect(await sluice.check({ class: 'read', ip: '192.0.2.1' })).toMatchObject({
    allowed: true,
    status: 'unreachable',
  });
  expect(requests()).toMatchObject([{ outcome: 'failed', error: { code: 'unauthorized', status: 401 } }]);
});
