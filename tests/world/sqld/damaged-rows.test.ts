import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { type FilledDatabase, fillDatabase, READS, read } from '@/tests/fixtures/filled-database';
import { damagesOf, TABLES } from '@/tests/fixtures/filled-tables';
import { type MigratedDatabase, migratedDatabase } from '@/tests/fixtures/migrated-database';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';

/** The greatest integer of SQLite. A number of JavaScript holds none beyond 2^53. */
const TOO_LARGE = '9223372036854775807';
/** Operations whose answer also holds measurements of this process. */
const MEASURED = ['readMetrics', 'readOverview'];
/** Every column that can hold it. */
const CELLS = [...TABLES].flatMap(([table, config]) =>
  getTableConfig(config)
    .columns.filter((column) => damagesOf(table, column).includes(TOO_LARGE))
    .map((column) => ({ table, column: column.name })),
);

describe.skipIf(sqldIsMissing('damaged rows on a libSQL server'))('damaged rows on a libSQL server', () => {
  let server: SqldServer;
  let remote: Database;
  let file: MigratedDatabase;
  let places: readonly [FilledDatabase, FilledDatabase];

  beforeAll(async () => {
    [server, file] = await Promise.all([SqldServer.start(), migratedDatabase()]);
    remote = server.open();
    await migrate(remote, 'drizzle', 0);
    places = [await fillDatabase(file.database), await fillDatabase(remote)];
  });
  afterAll(async () => {
    remote?.close();
    file?.[Symbol.dispose]();
    await server?.stop();
  });

  it.each(['all others', 'settings'])('are read as in a file: %s', async (which) => {
    const cells = CELLS.filter(({ table }) => (table === 'settings') === (which === 'settings'));
    expect(cells.length).toBeGreaterThan(0);
    for (const [index, { table, column }] of cells.entries()) {
      const damaged = { column, damage: TOO_LARGE };
      const [inFile, onServer] = places;
      const written = await inFile.write(table, 100 + index, damaged);
      expect([table, column, await onServer.write(table, 100 + index, damaged)]).toEqual([table, column, written]);
    }
    const [inFile, onServer] = [await answersOf(places[0]), await answersOf(places[1])];
    expect(inFile.lines.length).toBeGreaterThan(0);
    expect(onServer).toEqual(inFile);
  });

  it('stop no background job', async () => {
    const services = await places[1].open();
    for (const job of READS.filter(({ access }) => access === 'cron'))
      expect([job.id, (await read(services, job)).status]).toEqual([job.id, 200]);
  });
});

/** Returns the answer to every read, and the rows that the log names. */
async function answersOf(place: FilledDatabase) {
  const services = await place.open();
  const answers: Record<string, unknown> = {};
  for (const operation of READS.filter(({ access }) => access !== 'cron')) {
    const { status, text } = await read(services, operation);
    answers[operation.id] = MEASURED.includes(operation.id) ? status : [status, text];
  }
  return { answers, lines: place.lines.splice(0).map(({ msg, table, row }) => [msg, table, row]) };
}
