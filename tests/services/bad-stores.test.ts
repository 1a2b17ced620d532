import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLink } from '@/lib/counters/redis/create-link';
import { RemoteCounters } from '@/lib/counters/remote/store';
import { StoreUnavailable } from '@/lib/counters/store';
import { openRemoteDatabase } from '@/lib/db/database';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { BAD_RECEIVER_NAMES, type RunningReceiver, startBadReceiver } from '@/tests/fixtures/bad-receivers';
import { until } from '@/tests/fixtures/until';

const TIME = 1_000;

async function againstAll(ask: (receiver: RunningReceiver, name: string) => Promise<void>) {
  await Promise.all(
    BAD_RECEIVER_NAMES.map(async (name) => {
      await using receiver = await startBadReceiver(name);
      await ask(receiver, name);
      await until(() => receiver.countOpen() === 0, 60_000).catch(() => expect.fail(`${name} holds a connection`));
    }),
  );
}

it('every bad receiver is survived as a libSQL server', async () => {
  await againstAll(async (receiver, name) => {
    const options = { wait, random: Math.random };
    const monotonic = () => performance.now();
    const database = openRemoteDatabase({ url: receiver.url, monotonic, requestTime: 2 * TIME, ...options });
    const store = new RemoteCounters({ client: database.client, clock: () => Date.now(), timeout: TIME, ...options });
    await expect(store.ping(), name).rejects.toBeInstanceOf(StoreUnavailable);
    // A change has no time-out of its own.
    const change = database.batch([database.drizzle.run('select 1')]);
    await expect(change, name).rejects.toBeInstanceOf(DatabaseUnavailable);
    database.close();
    expect(receiver.lured, name).toBe(0);
    // A flood of interim answers ends with the time, and is not kept.
    if (name !== 'a flood of 103') expect(receiver.sent, name).toBeLessThan(200_000_000);
  });
});

it('a libSQL server that hangs is a database that is down', async () => {
  await using receiver = await startBadReceiver('no answer');
  const options = { wait, random: Math.random, monotonic: () => performance.now(), requestTime: 100 };
  const database = openRemoteDatabase({ url: receiver.url, ...options });
  await expect(database.batch([database.drizzle.run('select 1')])).rejects.toBeInstanceOf(DatabaseUnavailable);
  database.close();
});

it('every bad receiver is survived as a Redis over HTTP', async () => {
  await againstAll(async ({ url }, name) => {
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const link = await createLink({ url: url.replace('://', '://:token@'), logger, commandTimeout: TIME });
    await link.open();
    const answer = await link.runCommand('ping', []).catch((error: unknown) => error);
    expect(answer, name).toSatisfy((value) => value instanceof StoreUnavailable || value === undefined);
    link.close();
  });
});
