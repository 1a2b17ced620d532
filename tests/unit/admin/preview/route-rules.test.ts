import { expect, it } from 'vitest';
import { decisions } from '@/drizzle/schema';
import { replaceRouteRules } from '@/lib/admin/limits/replace-route-rules';
import { call } from '@/tests/fixtures/call';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

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
    `Of the 15 requests ${log}, 12 would get another class or cost: 12 of POST /api/exports (write to sensitive).`,
  );
  expect(await effectOf([{ method: 'GET', path: '/api/reports/*', class: 'read', cost: 5 }])).toBe(
    `Of the 15 requests ${log}, 3 would get another class or cost: 3 of GET /api/reports/7 (cost 1 to cost 5).`,
  );
  expect(await effectOf([{ method: 'GET', path: '/other', class: 'auth' }])).toBe(
    `None of the 15 requests ${log} would get another class or cost.`,
  );
});
