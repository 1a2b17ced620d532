import { and, eq, isNull, sql } from 'drizzle-orm';
import { overrides } from '@/drizzle/schema';
import type { ExceptionKind } from '@/lib/admin/exception-kind/exception-kind';
import { toLifetime } from '@/lib/admin/new-row';
import { canonicalOverridden } from '@/lib/contract/fields/identifier';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Override } from '@/lib/contract/overrides';
import { prepareOnce } from '@/lib/db/prepare-once';

type OverrideRow = typeof overrides.$inferSelect;

export function toOverride(row: OverrideRow, lastUsedAt: number | null): Override {
  const { id, type, identifier, class: endpointClass, limit, windowSeconds, reason } = row;
  const limited = { class: endpointClass, limit, window_seconds: windowSeconds };
  return { id, type, identifier, ...limited, reason, ...toLifetime(row), last_used_at: toInstantOrNull(lastUsedAt) };
}

const presentOverride = prepareOnce((drizzle) => {
  const ofIdentifier = and(
    eq(overrides.type, sql.placeholder('type')),
    eq(overrides.identifier, sql.placeholder('identifier')),
  );
  const same = and(ofIdentifier, eq(overrides.class, sql.placeholder('class')), isNull(overrides.removedAt));
  return drizzle.select().from(overrides).where(same).prepare();
});

type OverrideTarget = Pick<Override, 'type' | 'identifier' | 'class'>;

export const OVERRIDES: ExceptionKind<OverrideTarget, OverrideRow> = {
  name: 'override',
  added: 'override.set',
  label: 'override',
  table: overrides,
  async find(database, { type, identifier, class: endpointClass }) {
    const findRow = async (name: string) =>
      (await presentOverride(database).all({ type, identifier: name, class: endpointClass })).at(0);
    // Earlier versions stored single IPv6 addresses.
    return (await findRow(identifier)) ?? (await findRow(canonicalOverridden(type, identifier) ?? identifier));
  },
  toRecord: (row) => toOverride(row, null),
};
