import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { listApiKeys } from '../lib/admin/keys/list';
import { readStatistics } from '../lib/admin/statistics/read';
import { ENDPOINT_CLASSES } from '../lib/limiter/meter';
import { createLabTarget } from '../lib/oauth/assessment/lab-target';
import { SECURE_CONTROLS } from '../lib/oauth/lab/controls';
import { type Context, createSystemContext } from '../lib/operation/context';
import { DAY } from '../lib/units';
import { assessAll } from '../tests/fixtures/assess-all';
import { decisionEvent, refusalEvent } from '../tests/fixtures/decision-event';
import { TEST_START, type TestServices, testServices } from '../tests/fixtures/services';
import { median, table } from './rounds';

/** Measures the processor time of single operations in ms. Tests bound them by rows and statements instead. */
export async function run(): Promise<string> {
  using here = await testServices();
  const rows = [
    recording(here),
    ...(await measureWrites(here)),
    ...(await aYear(here)),
    ...(await aPage(here)),
    await anAudit(),
  ];
  return table(['', 'median', 'most'], rows);
}

const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const row = (name: string, times: readonly number[]) => [
  name,
  milliseconds(median(times)),
  milliseconds(Math.max(...times)),
];

/** Returns the processor time of this process in ms, which other load on the machine does not affect. */
async function measureCost(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

async function times(count: number, work: (round: number) => unknown): Promise<number[]> {
  const all: number[] = [];
  for (let round = 0; round < count; round += 1) all.push(await measureCost(() => work(round)));
  return all;
}

function recording({ services }: TestServices): string[] {
  const event = decisionEvent(TEST_START, { apiKeyId: 'key-1' });
  const nanoseconds = Array.from({ length: 9 }, () => {
    const start = process.cpuUsage();
    for (let n = 0; n < 200_000; n += 1) services.statistics.record(event);
    const { user, system } = process.cpuUsage(start);
    return ((user + system) / 200_000) * 1_000;
  });
  return [
    'counting one decision',
    ...[median(nanoseconds), Math.max(...nanoseconds)].map((ns) => `${ns.toFixed(0)} ns`),
  ];
}

async function measureWrites({ services, clock }: TestServices): Promise<string[][]> {
  const costs: number[] = [];
  for (let second = 0; second < 190; second += 1) {
    for (let n = 0; n < 5_000; n += 1) {
      const address = `198.${(second * 7 + n) % 200}.${n % 250}.${second % 5}`;
      services.statistics.record(refusalEvent(clock.now + (n % 1_000), address, { apiKeyId: `key-${n % 2_000}` }));
    }
    costs.push(await measureCost(() => services.statistics.flush()));
    clock.advance(1_000);
  }
  return [row('writing the statistics of a second, 5,000 refusals from a quarter of a million addresses', costs)];
}

function context({ services }: TestServices, target: string): Context {
  const system = createSystemContext(services);
  return { ...system, facts: { ...system.facts, target } };
}

async function aYear(here: TestServices): Promise<string[][]> {
  const handle = here.services.database.handle;
  if (handle === null) throw new Error('The database is no file.');
  const today = TEST_START - (TEST_START % DAY);
  for (const [step, count] of [
    [60, 2_880],
    [3_600, 1_440],
    [86_400, 730],
  ] as const) {
    handle.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert or ignore into rollups select ${step}, ${today} - i * ${step * 1_000}, class.value, outcome.value,
         iif(outcome.value = 'refused', 'rate_limit_exceeded', ''), 100 + i
       from n, json_each('${JSON.stringify(ENDPOINT_CLASSES)}') class, json_each('["allowed","refused","bypassed","degraded"]') outcome`,
    );
  }
  handle.exec(
    `with recursive n(value) as (select 0 union all select value + 1 from n where value < 365 * 200 - 1)
     insert or ignore into refused_identifiers select 86400, ${today} - (value / 200 + 1) * ${DAY}, 'ip', '198.51.' || (value % 200) || '.1', 'read', 1 + value % 200 from n`,
  );
  const read = (from: string | undefined) =>
    times(15, () =>
      readStatistics.run(context(here, '/v1/admin/statistics'), {
        params: {},
        query: from === undefined ? {} : { from: Date.parse(from) },
        body: undefined,
      }),
    );
  return [
    row('statistics of an hour', await read(undefined)),
    row('statistics of a month', await read('2026-10-21T12:00:00Z')),
    row('statistics of a year', await read('2025-11-21T00:00:00Z')),
  ];
}

async function aPage(here: TestServices): Promise<string[][]> {
  await here.services.database.client.execute(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
    insert into api_keys (id, name, tier, client_type, prefix, secret_hash, created_at, created_by, revision)
    select printf('00000000-0000-4000-8000-%012d', i), 'key ' || i, 'free', 'public', 'slk_', 'h' || i, i, 'x', 0 from n`);
  const list = (query: Record<string, unknown>) =>
    times(9, () =>
      listApiKeys.run(context(here, '/v1/admin/api-keys'), {
        params: {},
        query: { status: 'registered', limit: 100, sort: '-created_at', ...query } as never,
        body: undefined,
      }),
    );
  return [
    row('a page of 100,000 keys, newest first', await list({})),
    row('a page of 100,000 keys, by their last use', await list({ sort: '-last_used_at' })),
    row('a page of 100,000 keys, searched, by name', await list({ q: 'KEY 99', sort: 'name' })),
  ];
}

async function anAudit(): Promise<string[]> {
  const clock = () => performance.now();
  const random = (length: number) => randomBytes(length);
  const origin = 'http://localhost:3000';
  const target = () => createLabTarget({ origin, controls: SECURE_CONTROLS, startAt: TEST_START, clock, random });
  return row('an audit of the lab, all controls', await times(5, () => assessAll(target(), { clock, random, sleep })));
}
