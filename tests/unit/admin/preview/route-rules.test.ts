import { expect, it } from 'vitest';
import { decisions } from '@/drizzle/schema';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { call } from '@/tests/fixtures/call';
import { decisionEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const NONE = 'Their limits then refuse none of these; allowed ones are not in the log and may be refused.';

const effectOf = async (rules: unknown) => {
  const { json } = await call(here.services, replaceRouteRules, { query: { dry_run: 'true' }, body: rules });
  return json.changes[0].effect;
};

it('the preview of route rules names the requests of the log that they would move', async () => {
  const exports = { method: 'POST', path: '/api/exports', class: 'sensitive' } as const;
  expect(await effectOf([exports])).toBe(
    'There is no request in the log of the last hour (refusals and bypasses) that route rules decide.',
  );
  const row = (method: string, path: string, name: 'read' | 'write' | 'auth', age = 1) => ({
    ...{ at: TEST_START - age * 60_000, outcome: 'refused' as const, class: name, method, path },
  });
  const { drizzle } = here.services.database;
  await drizzle.insert(decisions).values([
    ...Array.from({ length: 12 }, () => row('POST', '/api/exports', 'write')),
    ...Array.from({ length: 3 }, () => row('GET', '/api/reports/7', 'read')),
    // Older than an hour, and in a class that its caller named.
    ...[row('POST', '/api/exports', 'write', 61), row('POST', '/api/exports', 'auth')],
  ]);
  const log = 'in the log of the last hour (refusals and bypasses)';
  expect(await effectOf([exports])).toBe(
    `Of the 15 requests ${log}, 12 would get another class or cost: 12 of POST /api/exports (write to sensitive). ${NONE}`,
  );
  expect(await effectOf([{ method: 'GET', path: '/api/reports/*', class: 'read', cost: 5 }])).toBe(
    `Of the 15 requests ${log}, 3 would get another class or cost: 3 of GET /api/reports/7 (cost 1 to cost 5). ${NONE}`,
  );
  expect(await effectOf([{ method: 'GET', path: '/other', class: 'auth' }])).toBe(
    `None of the 15 requests ${log} would get another class or cost.`,
  );
});

it('and whom the limits of their new class would refuse, beside what counts there already', async () => {
  const at = TEST_START - 10 * 60_000;
  const { drizzle } = here.services.database;
  const moved = { at, outcome: 'refused' as const, class: 'write' as const, method: 'POST', path: '/api/exports' };
  const from = (ip: string, requests: number) => Array.from({ length: requests }, () => ({ ...moved, ip }));
  await drizzle
    .insert(decisions)
    .values([...from('203.0.113.7', 12), ...from('203.0.113.8', 8), ...from('203.0.113.9', 2)]);
  // 25 of the limit of 30 a minute are used.
  for (let n = 0; n < 25; n += 1)
    here.services.statistics.record(decisionEvent(at, { ip: '203.0.113.7', class: 'sensitive' }));
  for (let n = 0; n < 10; n += 1) await here.services.statistics.flush();
  const more = ' allowed ones are not in the log and may be refused too.';
  expect(await effectOf([{ method: 'POST', path: '/api/exports', class: 'sensitive' }])).toContain(
    `Their limits then refuse at least 7 units of these: 203.0.113.7;${more}`,
  );
  // Twelve cost 60 then, eight 40; 25 that count there are used as they were.
  expect(await effectOf([{ method: 'POST', path: '/api/exports', class: 'sensitive', cost: 5 }])).toContain(
    `Their limits then refuse at least 65 units of these: 203.0.113.7 and 203.0.113.8;${more}`,
  );
});
