import { eq } from 'drizzle-orm';
import type { allowlist, overrides } from '@/drizzle/schema';
import { type AuditEntry, change } from '@/lib/admin/change';
import { findIfActive } from '@/lib/admin/expiry';
import { buildRowColumns, createOrderedId } from '@/lib/admin/new-row';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';

type ExceptionTable = typeof allowlist | typeof overrides;

/** A kind of exemption from the policies. Its rows may expire, and a removal marks them instead of deleting them. */
export interface ExceptionKind<Target, Row extends ExceptionTable['$inferSelect']> {
  /** The part of its actions before the dot, and the action that adds one. */
  readonly name: 'allowlist' | 'override';
  readonly added: 'allowlist.add' | 'override.set';
  readonly label: string;
  readonly table: ExceptionTable;
  /** Finds the row that was not removed, even if it expired. There is at most one. */
  find(database: Database, target: Target): Promise<Row | undefined>;
  toRecord(row: Row): unknown;
}

/** Builds the audit record for adding, replacing or removing an exemption. Without `before`, it is added. */
export function buildExceptionRecord(
  { name, added }: Pick<ExceptionKind<never, never>, 'name' | 'added'>,
  target: string,
  { before, after, reason = null }: { before?: unknown; after?: unknown; reason?: string | null },
): AuditEntry {
  const edit = after === undefined ? 'remove' : 'replace';
  return { action: before === undefined ? added : `${name}.${edit}`, target, before, after, reason };
}

/**
 * Prepares to add or replace an exemption.
 * `active` is the one to replace, whose `origin` stays. `put` builds the statements, which also remove an expired row.
 */
export async function prepareException<Target, Row extends ExceptionTable['$inferSelect']>(
  context: Context,
  { table, find }: ExceptionKind<Target, Row>,
  target: Target,
  revision: number,
) {
  const { drizzle } = context.services.database;
  const present = await find(context.services.database, target);
  const active = findIfActive(present, context.now);
  const { id, createdAt, createdBy } = active ?? {
    id: createOrderedId(context.now, revision, context.services.randomBytes),
    ...buildRowColumns(context, revision),
  };
  const put = (row: Row) => {
    if (active !== undefined) return [drizzle.update(table).set(row).where(eq(table.id, id))];
    const insert = drizzle.insert(table).values(row);
    return present === undefined ? [insert] : [markRemoved(context, table, present.id, revision), insert];
  };
  const managed = active?.managed ?? false;
  return { active, origin: { id, createdAt, createdBy, removedAt: null, revision, managed }, put };
}

/** Finds an exemption that has not expired. @throws ApiError not_found */
export async function findActive<Target, Row extends ExceptionTable['$inferSelect']>(
  { services, now }: Context,
  { label, find }: ExceptionKind<Target, Row>,
  target: Target,
): Promise<Row> {
  const row = findIfActive(await find(services.database, target), now);
  if (row === undefined) throw new ApiError('not_found', `No active ${label} matches.`);
  return row;
}

/** Removes an exemption. The policies apply again from the next decision on. @throws ApiError not_found */
export function removeException<Target, Row extends ExceptionTable['$inferSelect']>(
  context: Context,
  kind: ExceptionKind<Target, Row>,
  target: Target,
): Promise<undefined> {
  return change(context, async (revision) => {
    const row = await findActive(context, kind, target);
    return {
      audit: buildExceptionRecord(kind, row.identifier, { before: kind.toRecord(row) }),
      statements: [markRemoved(context, kind.table, row.id, revision)],
    };
  });
}

export function markRemoved({ services, now }: Context, table: ExceptionTable, id: string, revision: number) {
  return services.database.drizzle.update(table).set({ removedAt: now, revision }).where(eq(table.id, id));
}
