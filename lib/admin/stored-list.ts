import { and, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { lastUses } from '@/drizzle/schema';
import type { Millis } from '@/lib/units';

/** Whether a text is part of one of the columns, in any letter case (of ASCII). */
export function contains(text: string | undefined, ...columns: readonly AnySQLiteColumn[]): SQL | undefined {
  if (text === undefined) return undefined;
  return or(...columns.map((column) => sql`instr(lower(coalesce(${column}, '')), lower(${text})) > 0`));
}

/** Whether the column has one of the values; undefined values are no condition. */
export function oneOf<Value extends string>(column: AnySQLiteColumn, values: readonly Value[] | undefined) {
  return values === undefined ? undefined : inArray(column, [...values]);
}

/** Whether something that may expire is active, expired or either. */
export function inStatus(expiresAt: AnySQLiteColumn, status: string, now: Millis): SQL | undefined {
  if (status === 'active') return or(isNull(expiresAt), gt(expiresAt, now));
  return status === 'expired' ? and(lte(expiresAt, now)) : undefined;
}

/** The condition that joins `last_uses` to the rows of a kind by their ids. */
export function lastUseOf(kind: 'api_key' | 'override' | 'token' | 'member', id: AnySQLiteColumn): SQL {
  return sql`${lastUses.subject} = ${kind} || ':' || ${id}`;
}
