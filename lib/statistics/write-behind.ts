import type LibsqlDatabase from 'libsql';
import type { Database } from '@/lib/db/database';
import { toDatabaseError } from '@/lib/db/errors';

/** SQL with its parameters. */
export interface Write {
  sql: string;
  args: (string | number)[];
}

const prepared = new WeakMap<object, Map<string, LibsqlDatabase.Statement>>();

/**
 * Writes in one transaction, without waiting for the disk: an embedded file may lose the last second of statistics in a
 * power cut, but not in a crash of the process. Fails at once when another process holds the write lock.
 * @returns rows changed
 * @throws DatabaseUnavailable
 */
export async function writeBehind(database: Database, writes: readonly Write[]): Promise<number> {
  if (writes.length === 0) return 0;
  try {
    if (database.handle !== null) return embedded(database.handle, writes);
    const results = await database.client.batch([...writes], 'write');
    return results.reduce((sum, result) => sum + result.rowsAffected, 0);
  } catch (error) {
    throw toDatabaseError(error);
  }
}

function embedded(handle: LibsqlDatabase.Database, writes: readonly Write[]): number {
  let statements = prepared.get(handle);
  if (statements === undefined) {
    statements = new Map();
    prepared.set(handle, statements);
  }
  try {
    handle.exec('begin immediate');
    let changed = 0;
    for (const { sql, args } of writes) {
      const statement = statements.get(sql) ?? handle.prepare(sql);
      statements.set(sql, statement);
      changed += statement.run(...args).changes;
    }
    handle.exec('commit');
    return changed;
  } catch (error) {
    // Using a closed handle would end the process.
    if (handle.open && handle.inTransaction) handle.exec('rollback');
    throw error;
  }
}
