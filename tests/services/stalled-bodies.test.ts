import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { createFetchExchange } from '@/client/exchange';
import { beginCall } from '@/client/operation-call';
import { createBoundedFetch } from '@/lib/bounded-fetch';
import { createLink } from '@/lib/counters/redis/create-link';
import { startBadReceiver } from '@/tests/fixtures/bad-receivers';
import { until } from '@/tests/fixtures/until';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const TIME = 1_000;
const STALLED = [
  'a body that drips',
  'a body that drips without a length',
  'a stalled body',
  'chunks without end',
  'stalled trailers',
  'trailers that drip',
] as const;

/** Every client that reads a body by Node's `fetch`. */
const CLIENTS: Record<string, (url: string) => Promise<unknown>> = {
  'the fetch for servers': (url) =>
    createBoundedFetch({ peer: 'server', time: TIME, bytes: 1_000_000 })(new Request(url)),
  'checks of the client': (url) => {
    const ask = createFetchExchange({ url, token: 'token' });
    return ask('/v1/check', '{}', (cancel) => setTimeout(cancel, TIME));
  },
  'operations of the client': (url) => {
    // The build writes it into the client.
    const operations = JSON.stringify({ 'policies get': ['GET', '/v1/admin/policies', 0] });
    Object.assign(globalThis, { SLUICE_OPERATIONS: operations });
    return beginCall({ url, token: 'token' }, 'policies get', [{ timeout: TIME }]).answer();
  },
  'Redis over HTTP': async (url) => {
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const link = await createLink({ url: url.replace('://', '://:token@'), logger, commandTimeout: TIME });
    return link.runCommand('ping', []);
  },
};

it.each(Object.keys(CLIENTS))('%s: a call whose body stalls ends, although garbage is collected', async (name) => {
  const receivers = await Promise.all(STALLED.map(startBadReceiver));
  for (const receiver of receivers) onTestFinished(() => receiver[Symbol.asyncDispose]());
  const calls = Promise.allSettled(receivers.map(({ url }) => CLIENTS[name]!(url)));
  let isOver = false;
  void calls.then(() => {
    isOver = true;
  });
  const listOpen = () => STALLED.filter((_, i) => receivers[i]?.countOpen() !== 0);
  await until(() => {
    collectGarbage();
    return isOver && listOpen().length === 0;
  }, 60_000).catch(() => expect.fail(`These did not end: ${listOpen().join(', ')}.`));
});
