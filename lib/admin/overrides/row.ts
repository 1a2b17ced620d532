import { and, eq, isNull } from 'drizzle-orm';
import { overrides } from '@/drizzle/schema';
import type { ExceptionKind } from '@/lib/admin/exceptions/exception-kind';
import { toLifetime } from '@/lib/admin/new-row';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Override } from '@/lib/contract/overrides';

type OverrideRow = typeof overrides.$inferSelect;

export function toOverride(row: OverrideRow, lastUsedAt: number | null): Override {
  const { id, type, identifier, class: endpointClass, limit, windowSeconds, reason } = row;
  const limited = { class: endpointClass, limit, window_seconds: windowSeconds };
  return { id, type, identifier, ...limited, reason, ...toLifetime(row), last_used_at: toInstantOrNull(lastUsedAt) };
}

type OverrideTarget = Pick<Override, 'type' | 'identifier' | 'class'>;

export const OVERRIDES: ExceptionKind<OverrideTarget, OverrideRow> = {
  name: 'override',
  label: 'override',
  table: overrides,
  async find({ drizzle }, { type, identifier, class: endpointClass }) {
    const ofIdentifier = and(eq(overrides.type, type), eq(overrides.identifier, identifier));
    const same = and(ofIdentifier, eq(overrides.class, endpointClass), isNull(overrides.removedAt));
    return (await drizzle.select().from(overrides).where(same)).at(0);
  },
  toRecord: (row) => toOverride(row, null),
};
