import { type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { lastUses } from '@/drizzle/schema';

/** The condition that joins `last_uses` to the rows of a kind by their ids. */
export function lastUseOf(kind: 'api_key' | 'override', id: AnySQLiteColumn): SQL {
  return sql`${lastUses.subject} = ${kind} || ':' || ${id}`;
}
