import { expect, it } from 'vitest';
import { reuseResult } from '@/lib/counters/breaker';

/** A dear call whose outcomes are given by hand. */
function dear() {
  const calls: { answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const clock = { now: 0 };
  const call = () => new Promise<string>((answer, fail) => calls.push({ answer, fail }));
  return { calls, clock, ask: reuseResult(call, 1_000, () => clock.now) };
}

it('asks once for all who come while it is under way, however long that takes', async () => {
  const { calls, clock, ask } = dear();
  const first = ask();
  clock.now = 60_000;
  const second = ask();
  expect(calls).toHaveLength(1);
  calls[0]!.answer('one');
  expect(await Promise.all([first, second])).toEqual(['one', 'one']);
});

it('holds what it came to for a while after its end, a fault as well, and asks again then', async () => {
  const { calls, clock, ask } = dear();
  const failed = ask();
  clock.now = 500;
  calls[0]!.fail(new Error('full'));
  await expect(failed).rejects.toThrow('full');
  clock.now = 1_499;
  await expect(ask()).rejects.toThrow('full');
  expect(calls).toHaveLength(1);
  clock.now = 1_500;
  const again = ask();
  expect(calls).toHaveLength(2);
  calls[1]!.answer('two');
  expect(await again).toBe('two');
  expect(await ask()).toBe('two');
});
