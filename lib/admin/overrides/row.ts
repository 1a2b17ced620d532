import { and, eq, isNull, sql } from 'drizzle-orm';
import { overrides } from '@/drizzle/schema';
import type { ExceptionKind } from '@/lib/admin/exception-kind/exception-kind';
import { buildLifetime } from '@/lib/admin/new-row';
import { parseOverriddenIdentifier } from '@/lib/contract/fields/identifier';
import { type NamedNumbers, NamedNumbersSchema, type StoredNumbers } from '@/lib/contract/fields/numbers';
import type { OverrideTarget } from '@/lib/contract/fields/override';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Override } from '@/lib/contract/overrides';
import { prepareOnce } from '@/lib/db/prepare-once';

type OverrideRow = typeof overrides.$inferSelect;

/** Describes an override without its end and its use. Of a class or a named limit, according to its row. */
export function buildOverrideNumbers(
  row: Pick<OverrideRow, 'class' | 'limit' | 'windowSeconds' | 'limitName' | 'numbers'>,
) {
  const { class: endpointClass, limit, windowSeconds, limitName, numbers } = row;
  const shown = { limit, window_seconds: windowSeconds };
  if (endpointClass !== '') return { class: endpointClass, ...shown };
  return { class: null, limit_name: limitName, ...shown, ...parseNumbers(numbers) };
}

/** Parses the numbers of a named limit. @throws ZodError, SyntaxError */
export function parseNumbers(numbers: string | null): NamedNumbers {
  return numbers === null ? {} : NamedNumbersSchema.parse(JSON.parse(numbers));
}

/** Converts numbers to the columns of an override. */
export function buildNumberColumns({ limit, window_seconds: windowSeconds, ...own }: StoredNumbers) {
  return { limit, windowSeconds, numbers: Object.keys(own).length === 0 ? null : JSON.stringify(own) };
}

export function buildOverride(row: OverrideRow, lastUsedAt: number | null): Override {
  const { id, type, identifier, reason } = row;
  return {
    ...{ id, type, identifier, ...buildOverrideNumbers(row), reason },
    ...buildLifetime(row),
    last_used_at: formatTimestampOrNull(lastUsedAt),
  };
}

const presentOverride = prepareOnce((drizzle) => {
  const ofIdentifier = and(
    eq(overrides.type, sql.placeholder('type')),
    eq(overrides.identifier, sql.placeholder('identifier')),
  );
  const ofLimit = and(
    eq(overrides.class, sql.placeholder('class')),
    eq(overrides.limitName, sql.placeholder('limitName')),
  );
  const same = and(ofIdentifier, ofLimit, isNull(overrides.removedAt));
  return drizzle.select().from(overrides).where(same).prepare();
});

export const OVERRIDES: ExceptionKind<OverrideTarget, OverrideRow> = {
  name: 'override',
  added: 'override.set',
  label: 'override',
  table: overrides,
  async find(database, { type, identifier, class: endpointClass, limitName }) {
    const findRow = async (name: string) =>
      (await presentOverride(database).all({ type, identifier: name, class: endpointClass, limitName })).at(0);
    // Earlier versions stored single IPv6 addresses.
    return (await findRow(identifier)) ?? (await findRow(parseOverriddenIdentifier(type, identifier) ?? identifier));
  },
  toRecord: (row) => buildOverride(row, null),
};
