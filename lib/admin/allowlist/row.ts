import { and, eq, isNull } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import type { ExceptionKind } from '@/lib/admin/exceptions/exception-kind';
import { toLifetime } from '@/lib/admin/new-row';
import type { AllowlistEntry } from '@/lib/contract/allowlist';

type AllowlistRow = typeof allowlist.$inferSelect;

export function toAllowlistEntry(row: AllowlistRow): AllowlistEntry {
  const { id, type, identifier, reason } = row;
  return { id, type, identifier, reason, ...toLifetime(row) };
}

export const ALLOWLIST_ENTRIES: ExceptionKind<Pick<AllowlistEntry, 'type' | 'identifier'>, AllowlistRow> = {
  name: 'allowlist',
  label: 'allowlist entry',
  table: allowlist,
  async find({ drizzle }, { type, identifier }) {
    const same = and(eq(allowlist.type, type), eq(allowlist.identifier, identifier), isNull(allowlist.removedAt));
    return (await drizzle.select().from(allowlist).where(same)).at(0);
  },
  toRecord: toAllowlistEntry,
};
