import { describe, expect, it, vi } from 'vitest';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { runWithTimeout } from '@/lib/db/run-with-timeout';

const busy = () => Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' });

describe('work on a database that is locked', () => {
  function retried(work: (attempt: number) => unknown, last = 3) {
    const pauses: number[] = [];
    let calls = 0;
    const result = retryWhileBusy(() => work(calls++), {
      wait: async (milliseconds) => {
        pauses.push(milliseconds);
      },
      pause: (attempt) => 10 * (attempt + 1),
      isLast: (attempt) => attempt === last,
    });
    return { result, pauses, calls: () => calls };
  }

  it('is repeated after a pause until it is free, synchronous or not', async () => {
    for (const fail of [
      () => {
        throw busy();
      },
      () => Promise.reject(busy()),
    ]) {
      const { result, pauses } = retried((attempt) => (attempt < 2 ? fail() : 'done'));
      expect(await result).toBe('done');
      expect(pauses).toEqual([10, 20]);
    }
  });

  it('is given up after the last try, with its fault', async () => {
    const { result, pauses, calls } = retried(() => Promise.reject(busy()));
    await expect(result).rejects.toThrow('locked');
    expect([calls(), pauses]).toEqual([4, [10, 20, 30]]);
  });

  it('is not repeated after another fault', async () => {
    const { result, calls } = retried(() => Promise.reject(new Error('lost')));
    await expect(result).rejects.toThrow('lost');
    expect(calls()).toBe(1);
  });
});

describe('a call with a timeout', () => {
  const late = () => new Error('late');

  it('passes on its answer or its fault', async () => {
    expect(await runWithTimeout(Promise.resolve('answer'), 1_000, late)).toBe('answer');
    await expect(runWithTimeout(Promise.reject(new Error('lost')), 1_000, late)).rejects.toThrow('lost');
  });

  it('fails when its time is over, in two halves, and not before', async () => {
    vi.useFakeTimers();
    try {
      let fault: unknown = null;
      runWithTimeout(new Promise(() => undefined), 100, late).catch((error: unknown) => {
        fault = error;
      });
      await vi.advanceTimersByTimeAsync(99);
      expect([fault, vi.getTimerCount()]).toEqual([null, 1]);
      await vi.advanceTimersByTimeAsync(1);
      expect(fault).toMatchObject({ message: 'late' });
      await runWithTimeout(Promise.resolve(), 100, late);
      await vi.advanceTimersByTimeAsync(0);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
