import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rangeAddresses } from '@/drizzle/schema';
import { parseAddress } from '@/lib/limiter/address';
import { RangeAddresses, readAddressBounds } from '@/lib/statistics/range-addresses';
import { Recorder } from '@/lib/statistics/recorder';
import { removeOutdated } from '@/lib/statistics/writes';
import { DAY } from '@/lib/units';
import { decisionEvent } from '../../fixtures/decision-event';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';

const AT = Date.UTC(2026, 10, 20, 12);
const TODAY = AT - (AT % DAY);
const use = (ip: string, exception = 'own') => ({ exception, address: parseAddress(ip)! });

describe('the addresses that use an exception', () => {
  it('are kept as the lowest and the highest of a day, written again when one is beyond them', () => {
    const used = new RangeAddresses();
    for (const ip of ['192.0.2.77', '192.0.2.200', '192.0.2.9', '192.0.2.100']) used.add(use(ip), AT);
    expect(used.take(10)).toEqual([['own', TODAY, 'c0000209', 'c00002c8']]);
    used.add(use('192.0.2.10'), AT);
    expect(used.take(10)).toEqual([]);
    used.add(use('192.0.2.8'), AT);
    expect(used.take(10)).toEqual([['own', TODAY, 'c0000208', 'c00002c8']]);
    used.add(use('192.0.2.10'), AT + DAY);
    expect(used.take(10)).toEqual([['own', TODAY + DAY, 'c000020a', 'c000020a']]);
  });

  it('count by the /64 of IPv6', () => {
    const used = new RangeAddresses();
    used.add(use('2001:db8:0:1::1'), AT);
    expect(used.take(10)).toEqual([['own', TODAY, '20010db800000001', '20010db800000001']]);
    used.add(use('2001:db8:0:1::ffff'), AT);
    expect(used.take(10)).toEqual([]);
    used.add(use('2001:db8::'), AT);
    expect(used.take(10)).toEqual([['own', TODAY, '20010db800000000', '20010db800000001']]);
  });

  it('are followed of a bounded number of exceptions', () => {
    const used = new RangeAddresses();
    for (let n = 0; n < 10_009; n += 1) used.add(use('192.0.2.1', `o${n}`), AT);
    expect(used.take(20_000)).toHaveLength(10_000);
  });
});

describe('what is kept of them', () => {
  let file: MigratedDatabase;
  let now = AT;
  const recorderOf = () =>
    new Recorder({ database: file.database, logger: { warn: () => {}, info: () => {} }, clock: () => now });
  const record = async (...ips: string[]) => {
    const recorder = recorderOf();
    for (const ip of ips) recorder.record(decisionEvent(now, { rangeUse: use(ip) }));
    await recorder.flush();
  };
  const known = async (since: number) => {
    const found = (await readAddressBounds(file.database, ['own', 'other'], since)).get('own');
    return found && [found.since, ...found.addresses.map(({ text }) => text)];
  };

  beforeEach(async () => {
    file = await migratedDatabase();
    now = AT;
  });
  afterEach(() => file[Symbol.dispose]());

  it('grows by what each process has seen, over all days, and goes with its age', async () => {
    await record('192.0.2.9');
    await record('192.0.2.200', '192.0.2.100');
    now += DAY;
    await record('192.0.2.7');
    expect(await known(0)).toEqual([TODAY, '192.0.2.7', '192.0.2.200']);
    expect(await known(TODAY + 1)).toEqual([TODAY + DAY, '192.0.2.7', '192.0.2.7']);
    expect(await known(TODAY + DAY + 1)).toBeUndefined();
    await removeOutdated(file.database, TODAY + 32 * DAY);
    expect(await file.database.drizzle.select().from(rangeAddresses)).toEqual([
      { exception: 'own', day: TODAY + DAY, lowest: 'c0000207', highest: 'c0000207' },
    ]);
  });

  it('is the first address of a /64, also of the first one', async () => {
    await record('::1', '2001:db8:0:1::7');
    expect(await known(0)).toEqual([TODAY, '::', '2001:db8:0:1::']);
  });
});
