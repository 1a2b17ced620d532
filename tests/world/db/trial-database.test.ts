import { count, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settings } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { ConstraintViolation } from '@/lib/db/errors';
import { migrate } from '@/lib/db/migrate';
import { createTrial } from '@/lib/db/trial-database';
import { type MigratedDatabase, migratedDatabase } from '@/tests/fixtures/migrated-database';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';

const row = (name: string) => ({ name, value: '{}', updatedAt: 1, revision: 1 });
const namesIn = async ({ drizzle }: Database) =>
  (await drizzle.select({ name: settings.name }).from(settings).orderBy(settings.name)).map(({ name }) => name);

function suite(opened: () => Database) {
  it('shows its readers what was written to it, and nobody else', async () => {
    const database = opened();
    await database.batch([database.drizzle.insert(settings).values(row('kept'))]);
    const trial = createTrial(database);
    await trial.commit([trial.drizzle.insert(settings).values(row('tried'))]);
    await trial.batch([
      trial.drizzle.delete(settings).where(eq(settings.name, 'kept')),
      trial.drizzle.insert(settings).values(row('tried too')),
    ]);
    expect(await namesIn(trial)).toEqual(['tried', 'tried too']);
    expect(await trial.drizzle.select({ count: count() }).from(settings)).toEqual([{ count: 2 }]);
    expect(await namesIn(database)).toEqual(['kept']);
    expect(await namesIn(createTrial(database))).toEqual(['kept']);
    await database.batch([database.drizzle.delete(settings)]);
    expect(await namesIn(trial)).toEqual(['tried', 'tried too']);
  });

  it('refuses what the database would refuse, and keeps what was there before', async () => {
    const trial = createTrial(opened());
    await trial.commit([trial.drizzle.insert(settings).values(row('tried'))]);
    const twice = [row('another'), row('tried')].map((values) => trial.drizzle.insert(settings).values(values));
    await expect(trial.commit(twice)).rejects.toThrow(ConstraintViolation);
    expect(await namesIn(trial)).toEqual(['tried']);
    await expect(trial.client.execute('drop table settings')).rejects.toThrow('does not know what this writes');
  });
}

describe('a trial on a file', () => {
  let file: MigratedDatabase;
  beforeAll(async () => {
    file = await migratedDatabase();
  });
  afterAll(() => file?.[Symbol.dispose]());
  suite(() => file.database);
});

describe.skipIf(sqldIsMissing('integration/db (trial)'))('a trial on a libSQL server', () => {
  let server: SqldServer;
  let database: Database;
  beforeAll(async () => {
    server = await SqldServer.start();
    database = server.open();
    await migrate(database, 'drizzle', 0);
  });
  afterAll(async () => {
    database?.close();
    await server?.stop();
  });
  suite(() => database);
});
