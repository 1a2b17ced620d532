import { and, gt, inArray, isNull, or } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import type { ExceptionRow } from '@/lib/admin/exceptions/exception-row';
import { parseRange } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';

/** Identifiers looked for at once. */
const CHUNK = 500;

/** The active allowlist entries that cover an entry or an override: it has no effect beside them. */
export async function coveringEntries(
  { services, now }: Context,
  rows: readonly ExceptionRow[],
): Promise<Map<string, { id: string; identifier: string }[]>> {
  const wider = new Map(rows.map((row) => [row.id, widerThan(row)]));
  const wanted = [...new Set([...wider.values()].flat())];
  const entries: { id: string; type: string; identifier: string }[] = [];
  for (let start = 0; start < wanted.length; start += CHUNK) {
    const active = or(isNull(allowlist.expiresAt), gt(allowlist.expiresAt, now));
    const named = inArray(allowlist.identifier, wanted.slice(start, start + CHUNK));
    const { id, type, identifier } = allowlist;
    const present = and(named, isNull(allowlist.removedAt), active);
    entries.push(...(await services.database.drizzle.select({ id, type, identifier }).from(allowlist).where(present)));
  }
  return new Map(
    rows.map(({ id, type }) => {
      const ofType = (wider.get(id) ?? []).flatMap((identifier) =>
        entries.filter((entry) => entry.type === type && entry.identifier === identifier && entry.id !== id),
      );
      return [id, ofType.map(({ id: other, identifier }) => ({ id: other, identifier }))];
    }),
  );
}

/** Identifiers of the entries that would cover it, the most specific first. */
function widerThan({ kind, type, identifier }: ExceptionRow): string[] {
  if (type === 'api_key') return [];
  if (type === 'user_id') return kind === 'override' ? [identifier] : [];
  const range = parseRange(identifier);
  if (range === null) return [];
  const shortest = kind === 'override' ? range.length : range.length - 1;
  return Array.from({ length: shortest + 1 }, (_, index) => {
    return parseRange(`${range.first.text}/${shortest - index}`)?.text ?? '';
  });
}
