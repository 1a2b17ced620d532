import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breaker, BreakerOpen, guardStore } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { StoreUnavailable } from '@/lib/counters/store';

const good = async () => 'answer';
const bad = async () => {
  throw new StoreUnavailable('down');
};

function open() {
  const time = { now: 0 };
  const breaker = new Breaker({ monotonic: () => time.now });
  const fail = async (times: number) => {
    for (let i = 0; i < times; i++) await expect(breaker.run(bad)).rejects.toThrow('down');
  };
  return { time, breaker, fail };
}

describe('the breaker', () => {
  it('opens after 5 failures in a row', async () => {
    const { breaker, fail } = open();
    await fail(4);
    await breaker.run(good);
    await fail(4);
    expect(breaker.state).toBe('closed');
    await fail(1);
    expect(breaker.state).toBe('open');
    let called = false;
    const refused = breaker.run(async () => {
      called = true;
    });
    await expect(refused).rejects.toThrow(BreakerOpen);
    expect(called).toBe(false);
  });

  it('tries again after 10 s, and closes after 3 successes', async () => {
    const { time, breaker, fail } = open();
    await fail(5);
    time.now = 9_999;
    expect(breaker.retryIn).toBe(1);
    await expect(breaker.run(good)).rejects.toThrow(BreakerOpen);
    time.now = 10_000;
    expect(await breaker.run(good)).toBe('answer');
    expect(breaker.state).toBe('half-open');
    await breaker.run(good);
    expect(breaker.state).toBe('half-open');
    await breaker.run(good);
    expect(breaker.state).toBe('closed');
    await fail(4);
    expect(breaker.state).toBe('closed');
  });

  it('opens for another 10 s when a try fails, even the third', async () => {
    const { time, breaker, fail } = open();
    await fail(5);
    time.now = 10_000;
    await breaker.run(good);
    await breaker.run(good);
    time.now = 12_000;
    await fail(1);
    expect(breaker.state).toBe('open');
    time.now = 21_999;
    await expect(breaker.run(good)).rejects.toThrow(BreakerOpen);
    time.now = 22_000;
    for (let i = 0; i < 3; i++) await breaker.run(good);
    expect(breaker.state).toBe('closed');
  });

  it('tries one call at a time', async () => {
    const { time, breaker, fail } = open();
    await fail(5);
    time.now = 10_000;
    let answer = (_: string) => {};
    const trying = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
    await expect(breaker.run(good)).rejects.toThrow(BreakerOpen);
    answer('late');
    expect(await trying).toBe('late');
    expect(await breaker.run(good)).toBe('answer');
  });

  it('does not count what was begun before it opened', async () => {
    const { time, breaker, fail } = open();
    let answer = () => {};
    let refuse = (_: Error) => {};
    const slow = breaker.run(() => new Promise<void>((resolve) => (answer = resolve)));
    const lost = breaker.run(() => new Promise<void>((_, reject) => (refuse = reject)));
    await fail(5);
    time.now = 10_000;
    await breaker.run(good);
    answer();
    await slow;
    refuse(new StoreUnavailable('late'));
    await expect(lost).rejects.toThrow('late');
    expect(breaker.state).toBe('half-open');
    await breaker.run(good);
    expect(breaker.state).toBe('half-open');
    await breaker.run(good);
    expect(breaker.state).toBe('closed');
  });

  it('takes any other error for an answer', async () => {
    const { breaker } = open();
    const mistake = async () => {
      throw new RangeError('cost');
    };
    for (let i = 0; i < 20; i++) await expect(breaker.run(mistake)).rejects.toThrow(RangeError);
    expect(breaker.state).toBe('closed');
  });

  it('never makes a call within 10 s of the failure that opened it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ok: fc.boolean(), gap: fc.integer({ min: 0, max: 6_000 }) }), { maxLength: 80 }),
        async (calls) => {
          const { time, breaker } = open();
          let openedAt: number | null = null;
          for (const { ok, gap } of calls) {
            time.now += gap;
            let made = false;
            await breaker
              .run(async () => {
                made = true;
                return ok ? good() : bad();
              })
              .catch(() => {});
            if (made && openedAt !== null) expect(time.now - openedAt).toBeGreaterThanOrEqual(10_000);
            if (made && breaker.state === 'open') openedAt = time.now;
            else if (breaker.state !== 'open') openedAt = null;
          }
        },
      ),
    );
  });
});

describe('a guarded store', () => {
  it('refuses every call but ping and sweep while its breaker is open', async () => {
    const { breaker, fail } = open();
    const store = guardStore(new MemoryCounters({ clock: () => 0 }), breaker, () => 0);
    expect(await store.commit(0, [])).toMatchObject({ kind: 'decided' });
    await fail(5);
    const clear = store.clear({ prefix: '' });
    const forgive = store.resetUsage({ key: 'quota|a|month', window: { kind: 'month' } });
    for (const call of [
      () => store.commit(0, []),
      () => store.read([]),
      () => store.listKeys('', 1),
      () => store.publish(1),
      () => (clear.kind === 'action' ? clear.run() : good()),
      () => (forgive.kind === 'action' ? forgive.run() : good()),
    ]) {
      await expect(call()).rejects.toThrow(BreakerOpen);
    }
    expect(await store.sweep(1)).toBe(0);
    await store.ping();
    await store.close();
  });
});
