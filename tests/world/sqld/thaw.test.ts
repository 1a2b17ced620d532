import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openRemoteDatabase } from '@/lib/db/database';
import { startFreezingRelay } from '../../fixtures/frozen-process';
import { SqldServer, sqldIsMissing } from '../../fixtures/sqld-server';

it.skipIf(sqldIsMissing('world/sqld (thaw)'))(
  'a process that was frozen reads and writes once, although its connection was closed',
  async () => {
    const server = await SqldServer.start();
    onTestFinished(() => server.stop());
    const relay = await startFreezingRelay(Number(new URL(server.url).port));
    onTestFinished(() => relay.stop());
    const { client } = openRemoteDatabase({
      ...{ url: `http://127.0.0.1:${relay.port}`, canFreeze: true, random: Math.random },
      ...{ monotonic: () => performance.now(), wait: (milliseconds) => wait(milliseconds) },
    });
    onTestFinished(() => client.close());
    await client.execute('create table calls (id integer primary key)');
    // Without a check, about every third call is written to a closed connection.
    for (let calls = 1; calls <= 10; calls += 1) {
      relay.freeze();
      const write = { sql: 'insert into calls (id) values (?)', args: [calls] };
      const [, counted] = await client.batch([write, 'select count(*) from calls'], 'write');
      expect(counted?.rows[0]?.[0]).toBe(calls);
    }
  },
);
