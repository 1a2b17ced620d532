import { and, desc, eq, gte, ne, sql } from 'drizzle-orm';
import { refusedIdentifiers } from '@/drizzle/schema';
import { openAlerts, reconcile } from '@/lib/admin/alerts/reconcile';
import { SWITCHED_OFF } from '@/lib/admin/alerts/switched-off';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import { readKeyNames } from '@/lib/admin/keys/names';
import { isUuid } from '@/lib/contract/fields/ids';
import type { Database } from '@/lib/db/database';
import { isReadable } from '@/lib/db/readable-rows';
import { formatNumber } from '@/lib/format-number';
import type { ApiKeyId } from '@/lib/ids';
import type { Services } from '@/lib/operation/services';
import { findStart } from '@/lib/statistics/step';
import { splitLimitSubject } from '@/lib/statistics/top-identifiers';
import { MINUTE, type Millis } from '@/lib/units';

const EVENT = 'refusals.burst';
/** Identifiers that one call reports, the most refused first. An attack from many addresses is one incident. */
const MOST = 20;
const MOST_COUNTED = 200;

/**
 * Raises alerts for identifiers whose refusals in the last minutes reach the number in the settings. The counts come
 * from all instances. An alert is resolved when fewer than half as many refusals are left, so an identifier at the
 * limit does not raise alerts repeatedly.
 */
export async function watchBursts(services: Services): Promise<void> {
  const { database } = services;
  const { settings, writer } = await createAlertWriter(services);
  const { enabled, refusals, minutes } = settings.refusals_burst;
  const since = findStart(writer.now, MINUTE) - (minutes - 1) * MINUTE;
  const open = new Set((await openAlerts(database, EVENT)).map(({ subject }) => subject));
  const counted = enabled ? await countRefusalsByIdentifier(database, since, refusals / 2) : [];
  const bursts = counted.filter(({ subject, count }) => count >= refusals || open.has(subject)).slice(0, MOST);
  const keys = bursts.flatMap(({ identifier }) => (isUuid(identifier) ? [identifier as ApiKeyId] : []));
  const names = await readKeyNames(database, keys);
  await reconcile(writer, {
    event: EVENT,
    alerts: bursts.map(({ subject, type, identifier, limitName, count }) => ({
      event: EVENT,
      subject,
      period: null,
      data: {
        summary: `${names.get(identifier) ?? identifier} was refused ${formatNumber(count)} times${limitName === null ? '' : ` by the limit ${limitName}`} within ${minutes} minutes.`,
        link: findLink({ identifier, limitName }),
        ...{ type, identifier, refusals: count, minutes },
        ...(limitName === null ? {} : { limit_name: limitName }),
      },
    })),
    why: () => (enabled ? 'It is refused less than half as often now.' : SWITCHED_OFF),
  });
}

interface Refused {
  subject: string;
  type: string;
  identifier: string;
  /** The named limit that refused. Its subject is the identifier. */
  limitName: string | null;
  count: number;
}

/** Links to the refusals of a caller, or of a subject by a named limit. */
function findLink({ identifier, limitName }: Pick<Refused, 'identifier' | 'limitName'>): string {
  const encoded = encodeURIComponent(identifier);
  if (limitName === null) return `/decisions?by=caller&outcome=refused&q=${encoded}`;
  return `/decisions?outcome=refused&limit_name=${encodeURIComponent(limitName)}&limit_subject=${encoded}`;
}

/**
 * Counts refusals by identifier since the start of a minute, the most refused first. Leaves out those below `least`.
 */
async function countRefusalsByIdentifier({ drizzle }: Database, since: Millis, least: number): Promise<Refused[]> {
  const { type, identifier, step, start } = refusedIdentifiers;
  const count = sql<number>`sum(${refusedIdentifiers.count})`;
  const rows = await drizzle
    .select({ type, identifier, count })
    .from(refusedIdentifiers)
    .where(
      and(
        ...[eq(step, 60), gte(start, since), ne(type, 'global')],
        isReadable(type, identifier, refusedIdentifiers.count),
        // Rows of a named limit name it, except those of an earlier version.
        sql`(${type} <> 'limit' or instr(${identifier}, '|') > 1)`,
      ),
    )
    .groupBy(type, identifier)
    .having(sql`${count} >= ${least}`)
    .orderBy(desc(count))
    .limit(MOST_COUNTED);
  return rows.map((row) => {
    const subject = `${row.type}:${row.identifier}`;
    if (row.type !== 'limit') return { ...row, subject, limitName: null };
    const named = splitLimitSubject(row.identifier);
    return { ...row, subject, identifier: named.subject, limitName: named.name };
  });
}
