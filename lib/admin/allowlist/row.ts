import { and, eq, isNull, sql } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import type { ExceptionKind } from '@/lib/admin/exception-kind/exception-kind';
import { buildLifetime } from '@/lib/admin/new-row';
import type { AllowlistEntry } from '@/lib/contract/allowlist';
import { prepareOnce } from '@/lib/db/prepare-once';

type AllowlistRow = typeof allowlist.$inferSelect;

export function buildAllowlistEntry(row: AllowlistRow): AllowlistEntry {
  const { id, type, identifier, reason } = row;
  return { id, type, identifier, reason, ...buildLifetime(row) };
}

const presentEntry = prepareOnce((drizzle) => {
  const ofIdentifier = and(
    eq(allowlist.type, sql.placeholder('type')),
    eq(allowlist.identifier, sql.placeholder('identifier')),
  );
  return drizzle
    .select()
    .from(allowlist)
    .where(and(ofIdentifier, isNull(allowlist.removedAt)))
    .prepare();
});

export const ALLOWLIST_ENTRIES: ExceptionKind<Pick<AllowlistEntry, 'type' | 'identifier'>, AllowlistRow> = {
  name: 'allowlist',
  added: 'allowlist.add',
  label: 'allowlist entry',
  table: allowlist,
  async find(database, { type, identifier }) {
    return (await presentEntry(database).all({ type, identifier })).at(0);
  },
  toRecord: buildAllowlistEntry,
};
