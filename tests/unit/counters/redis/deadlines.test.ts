import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines } from '@/lib/counters/redis/deadlines';

describe('the deadlines of a connection', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const never = () => new Promise<never>(() => undefined);
  function watching(timeout: number) {
    const silent = vi.fn();
    return { silent, deadlines: new Deadlines({ timeout, late: () => new Error('late'), silent }) };
  }

  it('pass answers and faults on', async () => {
    const { deadlines } = watching(250);
    await expect(deadlines.follow(Promise.resolve('answer'))).resolves.toBe('answer');
    await expect(deadlines.follow(Promise.reject(new Error('fault')))).rejects.toThrow('fault');
    await expect(deadlines.watch(Promise.resolve('answer'))).resolves.toBe('answer');
  });

  it.each([250, 60_000])('give each call %d ms, and at most a quarter more', async (timeout) => {
    const { deadlines } = watching(timeout);
    const ended: [name: string, after: number][] = [];
    const start = Date.now();
    const call = (name: string) => {
      const sent = Date.now();
      deadlines.follow(never()).catch(() => ended.push([name, Date.now() - sent]));
    };
    call('first');
    await vi.advanceTimersByTimeAsync(timeout / 3);
    call('second');
    await vi.advanceTimersByTimeAsync(timeout * 2);
    expect(ended.map(([name]) => name)).toEqual(['first', 'second']);
    for (const [, after] of ended) {
      expect(after).toBeGreaterThanOrEqual(timeout);
      expect(after).toBeLessThanOrEqual(timeout * 1.25 + 1);
    }
    expect(Date.now() - start).toBeGreaterThan(timeout);
  });

  it('notice silence after two seconds in which something is owed', async () => {
    const { deadlines, silent } = watching(250);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(silent).not.toHaveBeenCalled();
    deadlines.follow(never()).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1_900);
    await deadlines.follow(Promise.resolve());
    await vi.advanceTimersByTimeAsync(1_900);
    expect(silent).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(300);
    expect(silent).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2_200);
    expect(silent).toHaveBeenCalledTimes(2);
  });

  it('hold no timer while nothing is owed', async () => {
    const { deadlines } = watching(250);
    await deadlines.follow(Promise.resolve());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
