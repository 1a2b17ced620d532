import { expect, it } from 'vitest';
import { Recorder } from '@/lib/statistics/recorder';
import { HOUR, startOf } from '@/lib/statistics/step';
import { refusalEvent } from '@/tests/fixtures/decision-event';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';

it('writing blocks the event loop for a few milliseconds only, also under an attack from a quarter of a million addresses', async () => {
  using file = await migratedDatabase();
  let now = startOf(Date.UTC(2026, 10, 20, 12), HOUR);
  const logger = { warn: () => undefined, info: () => undefined };
  const recorder = new Recorder({ database: file.database, logger, clock: () => now });
  const spent: number[] = [];
  for (let second = 0; second < 190; second += 1) {
    for (let n = 0; n < 5_000; n += 1) {
      const address = `198.${(second * 7 + n) % 200}.${n % 250}.${second % 5}`;
      recorder.record(refusalEvent(now + (n % 1_000), address, { apiKeyId: `key-${n % 2_000}` }));
    }
    const start = process.cpuUsage();
    await recorder.flush();
    const { user, system } = process.cpuUsage(start);
    spent.push((user + system) / 1_000);
    now += 1_000;
  }
  expect(recorder.failures).toBe(0);
  spent.sort((a, b) => a - b);
  // CPU time, which other processes on the machine do not add to; twice and more of what it takes.
  expect(spent[95]).toBeLessThan(15);
  expect(spent.at(-1)).toBeLessThan(60);
});
