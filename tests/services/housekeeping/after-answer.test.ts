import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { sessions } from '@/drizzle/schema';
import { putAlertSettings } from '@/lib/admin/alerts/settings';
import { LONG_INTERVAL, SHORT_INTERVAL, workAfterAnswer } from '@/lib/admin/housekeeping/after-answer';
import { StoreUnavailable } from '@/lib/counters/store';
import { parseAddress } from '@/lib/limiter/address';
import type { Services } from '@/lib/operation/services';
import { open, webhookTo } from '@/tests/fixtures/alert-events';
import { call } from '@/tests/fixtures/call';
import { type TestServices, testServices } from '@/tests/fixtures/services';
import { status, WebhookReceiver } from '@/tests/fixtures/webhook-receiver';

let here: TestServices;
let services: Services;
let receiver: WebhookReceiver;

beforeEach(async () => {
  here = await testServices({ SLUICE_ASSESS_ALLOW: '127.0.0.0/8' });
  services = here.services;
  receiver = await WebhookReceiver.start();
  onTestFinished(async () => {
    await receiver[Symbol.asyncDispose]();
    here[Symbol.dispose]();
  });
});

const after = (by = services) => workAfterAnswer(by, false);
const afterChange = (by = services) => workAfterAnswer(by, true);
const rounds = async () => {
  const sql = `select name, updated_at from settings where name like 'housekeeping:%'`;
  const { rows } = await services.database.client.execute(sql);
  return Object.fromEntries(rows.map((row) => [String(row[0]).replace('housekeeping:', ''), Number(row[1])]));
};

it('writes all statistics of every answer, also those that a permanent process keeps until the end of a minute', async () => {
  const decide = () =>
    services.engine.decide({
      method: 'POST',
      path: '/auth/token',
      address: parseAddress('192.0.2.1'),
      requestId: null,
    });
  const countIn = async (table: string, column: string) => {
    const { rows } = await services.database.client.execute(`select sum(${column}) from ${table}`);
    return Number(rows[0]?.[0] ?? 0);
  };
  for (let answered = 1; answered <= 15; answered += 1) {
    await decide();
    await after();
    const refused = Math.max(0, answered - 10);
    // Three steps: minute, hour and day.
    expect(await countIn('rollups', 'count')).toBe(3 * answered);
    expect(await countIn('refused_identifiers', 'count')).toBe(3 * refused);
    expect(await countIn('demand', 'p0 + p1 + p2 + p3 + p4 + p5')).toBe(answered);
    expect(await countIn('decisions', '1')).toBe(refused);
  }
});

it('runs one round in an interval, of all processes together', async () => {
  const processes = [services, ...(await Promise.all(Array.from({ length: 9 }, here.another)))];
  await webhookTo(services, receiver.url);
  await Promise.all(processes.map(after));
  const first = here.clock.now;
  expect(await rounds()).toMatchObject({ long: first });
  for (const event of ['a', 'b', 'c']) {
    here.clock.advance(SHORT_INTERVAL);
    await open(services, event);
    await Promise.all(processes.map(after));
    expect(await rounds()).toEqual({ long: first, short: here.clock.now });
  }
  expect(receiver.received).toHaveLength(3);
  here.clock.advance(SHORT_INTERVAL - 1);
  await open(services, 'd');
  await Promise.all(processes.map(after));
  expect(receiver.received).toHaveLength(3);
  here.clock.advance(LONG_INTERVAL);
  await Promise.all(processes.map(after));
  expect(await rounds()).toMatchObject({ long: here.clock.now });
  expect(receiver.types.filter((type) => type === 'store.down')).toHaveLength(4);
});

it('repeats a failed delivery in a later round', async () => {
  await webhookTo(services, receiver.url);
  receiver.answers.push(status(500));
  await open(services, 'a');
  await after();
  expect(receiver.received).toHaveLength(1);
  here.clock.advance(SHORT_INTERVAL);
  await after(await here.another());
  expect(receiver.received).toHaveLength(2);
});

it('deletes expired sessions and counters', async () => {
  const session = { id: 'a', memberId: 'b', createdAt: 0, expiresAt: here.clock.now + 1, lastSeenAt: 0 };
  await services.database.drizzle.insert(sessions).values(session as typeof sessions.$inferInsert);
  await services.engine.decide({
    method: 'GET',
    path: '/api/x',
    address: parseAddress('192.0.2.1'),
    requestId: null,
  });
  await after();
  here.clock.advance(86_400_000);
  await after();
  expect(await services.database.drizzle.select().from(sessions)).toEqual([]);
});

it('sends the events of a change without another request, also during the round of another process', async () => {
  await after();
  here.clock.advance(SHORT_INTERVAL);
  await after();
  await webhookTo(services, receiver.url);
  await open(services, 'a');
  const other = await here.another();
  const waiting = afterChange(other);
  here.clock.advance(1_000);
  await waiting;
  expect(receiver.types).toEqual(['store.down']);
});

it('reports a counter store that is down', async () => {
  await webhookTo(services, receiver.url);
  await after();
  here.clock.advance(SHORT_INTERVAL);
  const down = new Proxy(services.counters, {
    get: (target, name) =>
      ['ping', 'read', 'sweep', 'publish'].includes(String(name))
        ? () => Promise.reject(new StoreUnavailable('down'))
        : Reflect.get(target, name, target),
  });
  let ahead = 0;
  const clock = () => {
    ahead += 500;
    return here.clock.now + ahead;
  };
  const settings = { body: { store_down: { seconds: 1 } } };
  expect((await call(services, putAlertSettings, settings)).status).toBe(200);
  await after({ ...services, counters: down, clock });
  expect(receiver.types).toEqual(['store.down']);
});

it('never throws, and works again after an outage of the database', async () => {
  const client = new Proxy(services.database.client, {
    get: (target, name) =>
      ['execute', 'batch'].includes(String(name))
        ? () => Promise.reject(new Error('connect ECONNREFUSED'))
        : Reflect.get(target, name, target),
  });
  await after({ ...services, database: { ...services.database, client } });
  await webhookTo(services, receiver.url);
  await open(services, 'a');
  await after();
  expect(receiver.types).toEqual(['store.down']);
});

it('a claim of a wrong clock expires', async () => {
  here.clock.advance(86_400_000);
  await after();
  here.clock.advance(-86_400_000);
  await after(await here.another());
  expect(await rounds()).toMatchObject({ long: here.clock.now });
});
