import type { Millis } from '@/lib/units';

/**
 * Returns the answer of a call, or fails if it takes longer. The call itself continues with an unknown outcome.
 *
 * The timeout consists of two timers of half its length. If the process was blocked for longer, it thus reads data that
 * has arrived before it gives up.
 * @throws the error that `late` creates, or the errors of the call
 */
export function runWithTimeout<T>(answer: Promise<T>, milliseconds: Millis, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const half = milliseconds / 2;
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(late()), half);
    }, half);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
