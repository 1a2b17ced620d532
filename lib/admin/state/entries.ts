import { requireSafeRange } from '@/lib/admin/allowlist/require-safe-range';
import { ALLOWLIST_ENTRIES } from '@/lib/admin/allowlist/row';
import { buildExceptionRecord, type ExceptionKind } from '@/lib/admin/exception-kind/exception-kind';
import { findIfActive } from '@/lib/admin/expiry';
import { buildRowColumns, createOrderedId } from '@/lib/admin/new-row';
import { requireNamedLimit } from '@/lib/admin/overrides/require-named';
import { buildNumberColumns, buildOverrideNumbers, OVERRIDES, parseNumbers } from '@/lib/admin/overrides/row';
import { requireAllowedLife } from '@/lib/admin/policies/longest-life';
import { requireAllowedEnd, requireOnceEach } from '@/lib/admin/state/once-each';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import { ENTRIES_A_TURN, type StatePlan } from '@/lib/admin/state/state-plan';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Policies } from '@/lib/contract/policies';
import type { AllowlistState, OverrideState, RulesState } from '@/lib/contract/state';
import type { Context } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';

type Rows = Pick<Snapshot, 'allowlist' | 'overrides'>;
type Section = keyof Rows;
type Row<S extends Section> = Rows[S][number];
type Wanted = { allowlist: AllowlistState; overrides: OverrideState };
type Columns<S extends Section> = Omit<Row<S>, 'id' | 'createdAt' | 'createdBy' | 'removedAt' | 'revision' | 'managed'>;

/** Rules that entries depend on, after the change. */
interface OtherRules {
  exceptions: Policies['exceptions'];
  limits: readonly { name: string; in_flight: object | null }[];
}

/** Describes how a section of exemptions is read from a document and written to its table. */
interface EntrySection<S extends Section> {
  section: S;
  kind: Pick<ExceptionKind<never, Row<S>>, 'name' | 'added' | 'toRecord'>;
  readId(row: Columns<S>): string;
  /** Refuses an entry that the other rules do not allow. @throws ApiError invalid_request below `path` */
  requireAllowed(rules: OtherRules, entry: Columns<S>, at: { path: string; isNew: boolean }): void;
  toColumns(entry: Wanted[S]): Columns<S>;
  /** Converts a row to its form in documents. */
  toDocumentEntry(row: Columns<S>): RulesState[S][number];
}

export const ALLOWLIST_SECTION: EntrySection<'allowlist'> = {
  section: 'allowlist',
  kind: ALLOWLIST_ENTRIES,
  readId: ({ type, identifier }) => `${type} ${identifier}`,
  requireAllowed({ exceptions }, entry, { path, isNew }) {
    if (isNew) requireSafeRange(exceptions, entry, `${path}identifier`);
  },
  toColumns: ({ expires_at: expiresAt = null, ...entry }) => ({ ...entry, expiresAt }),
  toDocumentEntry: ({ type, identifier, reason, expiresAt }) => ({
    ...{ type, identifier, reason },
    expires_at: formatTimestampOrNull(expiresAt),
  }),
};

export const OVERRIDES_SECTION: EntrySection<'overrides'> = {
  section: 'overrides',
  kind: OVERRIDES,
  readId: ({ type, identifier, class: endpointClass, limitName }) =>
    `${type} ${identifier} ${endpointClass || limitName}`,
  requireAllowed: ({ limits }, { limitName, numbers }, { path }) =>
    requireNamedLimit(limits, { limitName, numbers: parseNumbers(numbers) }, path),
  toColumns: ({ expires_at: expiresAt = null, numbers, ...entry }) => ({
    ...{ ...entry, ...buildNumberColumns(numbers) },
    expiresAt,
  }),
  toDocumentEntry: (row) => {
    const { type, identifier, reason } = row;
    const { limit, window_seconds, class: endpointClass, ...named } = buildOverrideNumbers(row);
    const numbers = endpointClass === null ? named : { class: endpointClass, limit, window_seconds };
    return { type, identifier, ...numbers, reason, expires_at: formatTimestampOrNull(row.expiresAt) };
  },
};

/** Plans the changes of a section of exemptions. @throws ApiError invalid_request */
export async function planEntries<S extends Section>(
  context: Context,
  plan: StatePlan,
  { section, kind, readId, requireAllowed, toColumns, toDocumentEntry }: EntrySection<S>,
  { wanted, rows, prune, rules }: { wanted: readonly Wanted[S][]; rows: Rows[S]; prune: boolean; rules: OtherRules },
): Promise<void> {
  const { now } = context;
  const entries = wanted.map(toColumns);
  requireOnceEach(section, entries.map(readId));
  const present = new Map<string, Row<S>>(rows.map((row: Row<S>) => [readId(row), row]));

  const remove = (row: Row<S>, id: string) => {
    const { next } = plan;
    plan.put<S>(section, { ...row, removedAt: now, revision: next });
    plan.records.push(buildExceptionRecord(kind, row.identifier, { before: kind.toRecord(row) }));
    plan.changes.push({ action: 'delete', kind: section, id, before: toDocumentEntry(row), after: null });
  };

  const named = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await takeTurn();
    const id = readId(entry);
    named.add(id);
    requireAllowedEnd(`${section}.${index}.expires_at`, entry.expiresAt, now);
    const there = present.get(id);
    const active = findIfActive(there, now);
    if (entry.expiresAt !== null && entry.expiresAt <= now) {
      if (active !== undefined) remove(active, id);
      continue;
    }
    const { next } = plan;
    const { identifier } = entry;
    const reason = context.reason ?? entry.reason;
    if (active === undefined || JSON.stringify(toDocumentEntry(active)) !== JSON.stringify(toDocumentEntry(entry))) {
      requireAllowedLife(rules.exceptions.longest_days, entry.expiresAt, now, `${section}.${index}.expires_at`);
      requireAllowed(rules, entry, { path: `${section}.${index}.`, isNew: active === undefined });
    }
    if (active === undefined) {
      if (there !== undefined) plan.put<S>(section, { ...there, removedAt: now, revision: next });
      const newRow = {
        id: createOrderedId(now, next, context.services.randomBytes),
        ...buildRowColumns(context, next),
      };
      const row = { ...entry, ...newRow, removedAt: null, managed: true } as Row<S>;
      plan.put<S>(section, row);
      plan.records.push(buildExceptionRecord(kind, identifier, { after: kind.toRecord(row), reason }));
      plan.changes.push({ action: 'create', kind: section, id, before: null, after: toDocumentEntry(row) });
      continue;
    }
    const before = toDocumentEntry(active);
    const after = toDocumentEntry(entry);
    if (JSON.stringify(before) === JSON.stringify(after)) {
      plan.name(section, active);
      continue;
    }
    const row = { ...active, ...entry, revision: next, managed: true };
    plan.put<S>(section, row);
    const records = { before: kind.toRecord(active), after: kind.toRecord(row), reason };
    plan.records.push(buildExceptionRecord(kind, identifier, records));
    plan.changes.push({ action: 'update', kind: section, id, before, after });
  }
  if (!prune) return;
  for (const [id, row] of present) if (!named.has(id) && findIfActive(row, now) !== undefined) remove(row, id);
}
