import { expect, it } from 'vitest';
import { decisions, demand } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { createApiKey } from '@/lib/admin/keys/create';
import { updateApiKey } from '@/lib/admin/keys/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { planState } from '@/lib/admin/state/plan';
import type { StateChange } from '@/lib/contract/state';
import type { Operation } from '@/lib/operation/operation';
import { type CallOptions, call } from '@/tests/fixtures/call';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';
import { statementsOf } from '@/tests/fixtures/statements';

servicesSuite();

const ENTRY = { type: 'ip', identifier: '203.0.113.7', reason: 'Office' };

async function planned(body: unknown): Promise<StateChange[]> {
  const answer = await call(here.services, planState, { body, query: { prune: 'true' } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.changes;
}

/** What the preview of a single call says. */
async function foretold(operation: Operation, options: CallOptions): Promise<string> {
  const { json } = await call(here.services, operation, { ...options, query: { dry_run: 'true' } });
  return json.changes.map(({ effect }: { effect?: string }) => effect).join();
}

it('a plan says who would be hit', async () => {
  const { services } = here;
  await call(services, createApiKey, { body: { name: 'Old', tier: 'free' } });
  const document = {
    version: 1,
    policies: { classes: { read: { ip: { limit: 1 } } } },
    api_keys: [],
    overrides: [{ ...ENTRY, class: 'read', limit: 0, window_seconds: 60 }],
  };
  const changes = await planned(document);
  expect(changes.map(({ kind, effect }) => [kind, effect])).toEqual([
    ['policies', 'In the last hour no request counted against what changes.'],
    ['api_keys', 'It was never used.'],
    ['overrides', 'Every request of it in this class is refused.'],
  ]);
});

it('a plan says of each change what the preview of its single call says, and reads demand once', async () => {
  const { services } = here;
  const { drizzle } = services.database;
  await call(services, addAllowlistEntry, { body: ENTRY });
  const [entry] = (await call(services, listAllowlist)).json;
  const limited = { ...ENTRY, class: 'read', limit: 1_000, window_seconds: 60 } as const;
  const other = { ...limited, identifier: '203.0.113.0/28' };
  for (const body of [limited, other]) await call(services, putOverride, { body });
  const { id } = (await call(services, createApiKey, { body: { name: 'Billing', tier: 'starter' } })).json;
  const minute = TEST_START - (TEST_START % 60_000) - 60_000;
  const parts = { p0: 5, p1: 5, p2: 5, p3: 5, p4: 5, p5: 5, refused: 0 };
  const asked = { start: minute, subject: 'ip', class: 'read', ...parts } as const;
  await drizzle.insert(demand).values([
    { ...asked, identifier: ENTRY.identifier },
    { ...asked, identifier: '203.0.113.9' },
  ]);
  const logged = { at: TEST_START - 1_000, class: 'write', method: 'POST', path: '/exports' } as const;
  await drizzle.insert(decisions).values([
    { ...logged, outcome: 'refused' },
    { ...logged, outcome: 'bypassed', source: 'allowlist', sourceId: entry.id },
  ]);
  const rules = [{ method: 'POST', path: '/exports', class: 'sensitive' }];
  const tighter = { ...limited, limit: 3 };
  const added = { ...limited, identifier: '203.0.113.9', limit: 2 };
  const document = {
    ...{ version: 1, route_rules: rules, allowlist: [], overrides: [tighter, added] },
    api_keys: [{ name: 'Billing', tier: 'starter', month_starts_on: 15 }],
  };
  let changes: StateChange[] = [];
  const statements = await statementsOf(services.database, async () => {
    changes = await planned(document);
  });
  const target = { type: 'ip', identifier: other.identifier };
  expect(changes.map(({ kind, action, effect }) => [kind, action, effect])).toEqual([
    ['route_rules', 'update', await foretold(replaceRouteRules, { body: rules })],
    ['api_keys', 'update', await foretold(updateApiKey, { params: { id }, body: { month_starts_on: 15 } })],
    [
      'allowlist',
      'delete',
      await foretold(removeAllowlistEntry, { body: { type: 'ip', identifier: ENTRY.identifier } }),
    ],
    ['overrides', 'update', await foretold(putOverride, { body: tighter })],
    ['overrides', 'create', await foretold(putOverride, { body: added })],
    ['overrides', 'delete', await foretold(removeOverride, { body: { ...target, class: 'read' } })],
  ]);
  expect(changes.map(({ effect }) => effect)).toEqual([
    expect.stringContaining('2 of POST /exports (write to sensitive)'),
    expect.stringMatching(/^Its running month ends at .*; 0 of its 10,000 requests are used/),
    'At least 1 request of the last hour bypassed limits by it; the limits refuse none of them.',
    // The allowlist lets everybody pass that this one is for.
    'In the last hour it applied to no request. The allowlist entry 203.0.113.7 includes it, so it has no effect until that ends. It takes precedence over the override of 203.0.113.0/28.',
    'Refuses 28 instead of 0 of 30 units in the last hour: 203.0.113.9. It takes precedence over the override of 203.0.113.0/28.',
    'Refuses 0 of 30 units in the last hour, as now.',
  ]);
  const ofDemand = statements.filter(({ sql }) => sql.includes('from "demand"'));
  expect(new Set(ofDemand.map(({ args }) => JSON.stringify(args))).size).toBe(ofDemand.length);
});

it('a plan replays a hundred overrides, and tells the closed ones all', async () => {
  const of = (index: number) => ({ ...ENTRY, identifier: `10.0.0.${index}`, class: 'read', window_seconds: 60 });
  const changes = await planned({
    version: 1,
    overrides: Array.from({ length: 240 }, (_, index) => ({ ...of(index), limit: index % 2 })),
  });
  const told = changes.flatMap(({ effect }) => effect ?? []);
  expect(told.filter((effect) => effect === 'Every request of it in this class is refused.')).toHaveLength(120);
  expect(told).toHaveLength(220);
});
