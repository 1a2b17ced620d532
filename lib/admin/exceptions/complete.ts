import type { ExceptionRow } from '@/lib/admin/exception-kind/exception-rows';
import { findNarrowerRanges } from '@/lib/admin/exception-kind/narrower';
import { readBypasses } from '@/lib/admin/exceptions/bypasses';
import { findCovering } from '@/lib/admin/exceptions/covering';
import { computeGrantNeeds } from '@/lib/admin/exceptions/grant-needs';
import { countOverrideNeeds } from '@/lib/admin/exceptions/override-needs';
import { buildManagedMark } from '@/lib/admin/new-row';
import { parseNumbers } from '@/lib/admin/overrides/row';
import type { Exception } from '@/lib/contract/exceptions';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import { parseRange } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';
import { DAY, HOUR } from '@/lib/units';

/** Age below which an exemption has had no time to be used. */
const NEW = HOUR;

/** Adds usage and notes to each exemption. */
export async function completeExceptions(context: Context, rows: readonly ExceptionRow[]): Promise<Exception[]> {
  const bypasses = await readBypasses(context, rows);
  const needs = new Map([
    ...[...bypasses].map(([id, { need }]) => [id, need] as const),
    ...(await countOverrideNeeds(context, rows)),
    ...(await computeGrantNeeds(context, rows)),
  ]);
  const rules = await context.services.rules.readFresh();
  const narrowed = await findNarrowerRanges(context, rows);
  return rows.map((row): Exception => {
    const bypassed = bypasses.get(row.id);
    const need = needs.get(row.id) ?? null;
    const covering = findCovering(rules, row, context.now);
    const narrower = narrowed.get(row.id) ?? null;
    const lastUsedAt = Math.max(row.lastUsedAt ?? 0, bypassed?.lastAt ?? 0) || null;
    const { endsAt, managed } = row;
    const unused = row.kind === 'grant' ? need?.atLeast === 0 && need.since <= row.createdAt : lastUsedAt === null;
    const notes: Exception['notes'] = [];
    if (endsAt !== null && endsAt <= context.now + DAY) notes.push('ends_soon');
    if (unused && context.now - row.createdAt >= NEW) notes.push('never_used');
    if (isWide(row)) notes.push('wide');
    if (covering.covered_by.length > 0) notes.push('covered');
    if (covering.overlapped_by.length > 0) notes.push('overlapped');
    if (need !== null && need.atLeast > 0) notes.push('limited');
    return {
      kind: row.kind,
      id: row.id,
      type: row.type,
      identifier: row.identifier,
      api_key_name: row.keyName,
      class: row.class,
      ...(row.limitName !== null && { limit_name: row.limitName, ...parseNumbers(row.numbers) }),
      limit: row.limit,
      window_seconds: row.windowSeconds,
      requests: row.requests,
      reason: row.reason,
      ends_at: formatTimestampOrNull(endsAt),
      created_at: formatTimestamp(row.createdAt),
      created_by: row.createdBy,
      last_used_at: formatTimestampOrNull(lastUsedAt),
      would_be_limited: need && { at_least: need.atLeast, since: formatTimestamp(need.since) },
      notes,
      ...covering,
      narrower: narrower?.range ?? null,
      narrower_since: formatTimestampOrNull(narrower?.since ?? null),
      ...buildManagedMark({ managed: managed === 1 }),
    };
  });
}

function isWide({ type, identifier }: ExceptionRow): boolean {
  const range = type === 'ip' ? parseRange(identifier) : null;
  return range !== null && range.length < (range.first.family === 4 ? 24 : 48);
}
