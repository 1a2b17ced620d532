import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowlist, audit } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { applyState } from '@/lib/admin/state/apply';
import { planState } from '@/lib/admin/state/plan';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { type Address, parseAddress } from '@/lib/limiter/address';
import type { Services } from '@/lib/operation/services';
import { call } from '@/tests/fixtures/call';
import { manyEntries } from '@/tests/fixtures/many-entries';
import { servicesOn } from '@/tests/fixtures/services';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';

describe.skipIf(sqldIsMissing('integration/sqld (state)'))('state documents on a libSQL server', () => {
  let server: SqldServer;
  const databases: Database[] = [];
  let first: Services;
  let second: Services;

  beforeAll(async () => {
    server = await SqldServer.start();
    databases.push(server.open(), server.open());
    const [left, right] = databases as [Database, Database];
    await migrate(left, 'drizzle', 0);
    first = await servicesOn(left, {}, () => Date.now());
    second = await servicesOn(right, {}, () => Date.now());
  });
  afterAll(async () => {
    for (const database of databases) database.close();
    await server?.stop();
  });

  it('are applied by one of the appliers of a revision, whole, and the other instance decides by them', async () => {
    const documents = [manyEntries(2_500, 'First'), manyEntries(2_500, 'Second')];
    const headers = { 'If-Match': '"0"' };
    const answers = await Promise.all(
      [first, second].map((services, index) => call(services, applyState, { body: documents[index], headers })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = documents[answers.findIndex(({ status }) => status === 200)];
    expect((await call(second, planState, { body: winner, query: { prune: 'true' } })).json.changes).toEqual([]);
    const { drizzle } = first.database;
    expect([await drizzle.$count(audit), await drizzle.$count(allowlist)]).toEqual([2_500, 2_500]);
    expect((await call(first, verifyAuditLog)).json.valid).toBe(true);
    expect((await second.rules.readFresh()).allowedRanges.size).toBe(2_500);
    // A third instance reads its rules in several answers, while they are changed under its hands.
    databases.push(server.open());
    const third = await servicesOn(databases[2] as Database, {}, () => Date.now());
    const changes = Array.from({ length: 20 }, (_, index) => {
      const target = { type: 'ip', identifier: index % 2 === 0 ? `10.0.0.${index}` : `192.0.2.${index}` };
      return index % 2 === 0
        ? call(first, removeAllowlistEntry, { body: target })
        : call(first, addAllowlistEntry, { body: { ...target, reason: 'Meanwhile' } });
    });
    const read = third.rules.readFresh();
    expect((await Promise.all(changes)).every(({ status }) => status < 300)).toBe(true);
    await read;
    const rules = await third.rules.readFresh();
    expect(rules.allowedRanges.size).toBe(2_500);
    const allows = (address: string) =>
      rules.findAllowedAddress(parseAddress(address) as Address, Date.now()) !== undefined;
    expect(['10.0.0.0', '10.0.0.18', '10.0.0.1', '192.0.2.1', '192.0.2.19'].map(allows)).toEqual([
      ...[false, false, true, true, true],
    ]);
    const gone = await call(second, applyState, { body: { version: 1, allowlist: [] }, query: { prune: 'true' } });
    expect(gone.json.changes).toHaveLength(2_500);
    expect((await first.rules.readFresh()).allowedRanges.size).toBe(0);
  });
});
