import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { abortAfter } from '@/lib/oauth/assessment/abort-after';
import { until } from '@/tests/fixtures/until';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Waits for a signal as a request does: only the listener refers to it. */
function reasonOf(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve((signal.reason as Error).name), { once: true });
  });
}

it('is aborted after its time, although garbage is collected before', async () => {
  const reasons: string[] = [];
  for (let index = 0; index < 20; index += 1)
    void reasonOf(abortAfter(200, new AbortController().signal)).then((reason) => reasons.push(reason));
  await until(() => {
    collectGarbage();
    return reasons.length === 20;
  });
  expect(new Set(reasons)).toEqual(new Set(['TimeoutError']));
});

it('is aborted with the other signal', async () => {
  const controller = new AbortController();
  const reason = reasonOf(abortAfter(600_000, controller.signal));
  collectGarbage();
  controller.abort();
  expect(await reason).toBe('AbortError');
});
