import type { Millis } from '@/lib/units';

/**
 * The answer of a call, or a fault when it takes longer. The call itself continues; its outcome is unknown.
 *
 * The timeout is two timers of half its length: a process that was busy itself for longer than that reads what has
 * arrived meanwhile before it gives up.
 * @throws what `late` makes, or what the call throws
 */
export function withTimeout<T>(answer: Promise<T>, milliseconds: Millis, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const half = milliseconds / 2;
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(late()), half);
    }, half);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
