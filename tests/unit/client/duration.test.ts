import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { beginCall } from '@/client/operation-call';
import { Sluice, type SluiceOptions } from '@/client/sluice';

const ANSWER = '{"allowed":true,"class":"read","limit":9,"remaining":8,"reset":60}';

/** A client whose server answers after some milliseconds. */
function clientOf(options: Partial<SluiceOptions>, answersAfter = 30): Sluice {
  const exchange = () => async (path: string, body: string) => {
    await pause(answersAfter);
    const many = path.endsWith('/batch') ? (JSON.parse(body) as unknown[]).map(() => ANSWER).join() : null;
    return { status: 200, headers: new Headers(), text: many === null ? ANSWER : `[${many}]` };
  };
  return new Sluice({ url: 'http://sluice.test', token: 'token', onUnreachable: 'throw', exchange, ...options });
}

/** Warnings of Node until the end of the test. */
function warnings(): string[] {
  const seen: string[] = [];
  const listener = (warning: Error) => void seen.push(`${warning.name}: ${warning.message}`);
  process.on('warning', listener);
  onTestFinished(() => void process.off('warning', listener));
  return seen;
}

const ASK = { class: 'read', ip: '203.0.113.7' } as const;
const LONG = [Number.POSITIVE_INFINITY, Number.MAX_VALUE, 3e9, 2 ** 31, 2 ** 31 - 1, 2 ** 53];
const NO_DURATION = [Number.NaN, -1, Number.NEGATIVE_INFINITY, '250', '', {}, [], true, null, 5n] as const;

describe('a duration', () => {
  test.each(LONG)('of %d ms waits', async (long) => {
    const seen = warnings();
    const sluice = clientOf({ timeout: long, breaker: { cooldown: long } });
    expect(await sluice.check(ASK)).toMatchObject({ allowed: true, remaining: 8 });
    await pause(0);
    expect(seen).toEqual([]);
    const delayed = clientOf({ batch: { delay: long } });
    const early = await Promise.race([delayed.check(ASK).catch(() => 'timeout'), pause(20).then(() => 'waiting')]);
    expect(early).toBe('waiting');
  });

  test.each([...NO_DURATION.filter((value) => value !== null), 0])('of %o is refused by name', (value) => {
    const given = value as number;
    expect(() => clientOf({ timeout: given })).toThrow(/`timeout` must be a number of milliseconds above 0/);
    if (given === 0) return;
    expect(() => clientOf({ batch: { delay: given } })).toThrow(
      /`batch.delay` must be a number of milliseconds, 0 or more/,
    );
    expect(() => clientOf({ breaker: { cooldown: given } })).toThrow(/`breaker.cooldown` must be/);
    if (given !== (true as unknown))
      expect(() => clientOf({ rememberRefusals: given })).toThrow(/`rememberRefusals` must be/);
  });
});

describe('a duration of an operation', () => {
  const call = (timeout: unknown) => {
    vi.stubGlobal('SLUICE_OPERATIONS', '{"quota list":["GET","/v1/admin/rate-limit/quotas",0]}');
    const slow = async (_: unknown, init?: RequestInit) => {
      await pause(30, undefined, { signal: init?.signal ?? undefined });
      return Response.json([]);
    };
    const transport = { url: 'http://sluice.test', token: 'token', fetch: slow as typeof fetch };
    return beginCall(transport, 'quota list', [{ timeout }]).answer();
  };

  test.each(LONG)('of %d ms waits', async (long) => {
    const seen = warnings();
    expect(await call(long)).toMatchObject({ status: 200, value: [] });
    await pause(0);
    expect(seen).toEqual([]);
  });

  test.each([...NO_DURATION.filter((value) => value !== null), 0])('of %o is refused by name', async (value) => {
    await expect(call(value)).rejects.toThrow(/`timeout` must be a number of milliseconds above 0/);
  });
});

describe('one signal for many checks', () => {
  test('has one listener at a time, and none afterwards', async () => {
    const seen = warnings();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const sluice = clientOf({});
    for (let round = 1; round <= 2; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => sluice.check(ASK, { signal })));
      expect(added).toHaveBeenCalledTimes(round);
      expect(removed).toHaveBeenCalledTimes(round);
    }
    await pause(0);
    expect(seen).toEqual([]);
  });

  test('ends all that still wait, of every client, and no other', async () => {
    const abort = new AbortController();
    const clients = [clientOf({}, 5_000), clientOf({}, 5_000)];
    const checks = clients.flatMap((sluice) => Array.from({ length: 20 }, () => sluice.check(ASK, abort)));
    const other = clientOf({ timeout: 60_000 }).check(ASK, { signal: new AbortController().signal });
    abort.abort(new Error('enough'));
    for (const outcome of await Promise.allSettled(checks)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    }
    expect(await other).toMatchObject({ allowed: true });
    await expect(clients[0]?.check(ASK, abort)).rejects.toThrow('enough');
  });
});
