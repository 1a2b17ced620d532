import { isNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { members } from '@/drizzle/schema';
import { tidy } from '@/lib/admin/housekeeping/tidy';
import { startSession } from '@/lib/auth/session';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import type { Services } from '@/lib/operation/services';
import { fillDatabase } from '@/tests/fixtures/filled-database';
import { TABLES } from '@/tests/fixtures/filled-tables';
import { servicesOn } from '@/tests/fixtures/services';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';

const YEAR = 365 * 86_400_000;

describe.skipIf(sqldIsMissing('deletion on a libSQL server'))('the deletion of expired rows', () => {
  let server: SqldServer;
  let database: Database;

  beforeAll(async () => {
    server = await SqldServer.start();
    database = server.open();
    await migrate(database, 'drizzle', 0);
    await fillDatabase(database);
  });
  afterAll(async () => {
    database?.close();
    await server?.stop();
  });

  async function countRows(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const [name, table] of TABLES) counts[name] = await database.drizzle.$count(table);
    return counts;
  }
  /** Lists the tables that have fewer rows than before. */
  async function findLosses(before: Record<string, number>): Promise<string[]> {
    const after = await countRows();
    return Object.keys(before).filter((table) => Number(after[table]) < Number(before[table]));
  }
  async function signIn(services: Services): Promise<void> {
    const [member] = await database.drizzle.select().from(members).where(isNull(members.removedAt));
    if (member === undefined) throw new Error('The database has no member.');
    const session = { method: 'password', address: null, userAgent: null, replaces: null, requestId: 'a' } as const;
    await startSession(services, { ...session, memberId: member.id, since: 1_000_000 });
  }
  const openAt = (offset: number): Promise<Services> => servicesOn(database, {}, () => Date.now() + offset);

  it('keeps what the server still needs when the clock of an instance is ahead', async () => {
    const agreed = await openAt(0);
    await tidy(agreed);
    await signIn(agreed);
    const before = await countRows();
    expect(before.sessions).toBeGreaterThan(0);
    const ahead = await openAt(3 * YEAR);
    await tidy(ahead);
    await signIn(ahead);
    expect(await findLosses(before)).toEqual([]);
  });

  it('deletes nothing that an instance whose clock is behind still needs', async () => {
    const before = await countRows();
    await tidy(await openAt(-3 * YEAR));
    expect(await findLosses(before)).toEqual([]);
  });
});
