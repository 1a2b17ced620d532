import { and, eq, inArray, sql } from 'drizzle-orm';
import { demand } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { isReadable } from '@/lib/db/readable-rows';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import type { DemandSubject } from '@/lib/statistics/demand';
import { MINUTE, type Millis } from '@/lib/units';

/** Requests of one identifier in one minute and class, by cost. */
interface ActiveMinute {
  start: Millis;
  class: string;
  allowed: number;
  refused: number;
}

/** Activity of one identifier, read from the stored demand. */
export interface StoredActivity {
  /** Minutes, oldest first. */
  minutes: ActiveMinute[];
  /** False if some of its requests may be part of the sum of identifiers that are not counted one by one. */
  complete: boolean;
}

/**
 * Reads the requests of one identifier from `from` to before `to`. Both times lie on a minute. The query reads at most
 * two rows per minute and class.
 */
export async function readStoredActivity(
  { drizzle }: Database,
  subject: DemandSubject,
  identifier: string,
  from: Millis,
  to: Millis,
): Promise<StoredActivity> {
  const starts = Array.from({ length: (to - from) / MINUTE }, (_, index) => from + index * MINUTE);
  const { p0, p1, p2, p3, p4, p5, refused } = demand;
  const rows = await drizzle
    .select({
      start: demand.start,
      class: demand.class,
      identifier: demand.identifier,
      asked: sql<number>`${p0} + ${p1} + ${p2} + ${p3} + ${p4} + ${p5}`,
      refused,
    })
    .from(demand)
    .where(
      and(
        // The list of starts lets SQLite find each row by its primary key.
        sql`${demand.start} in (select value from json_each(${JSON.stringify(starts)}))`,
        eq(demand.subject, subject),
        inArray(demand.class, subject === 'client' ? ['all'] : [...ENDPOINT_CLASSES]),
        inArray(demand.identifier, [identifier, '']),
        isReadable(p0, p1, p2, p3, p4, p5, refused),
      ),
    )
    .orderBy(demand.start);
  const minutes = rows.flatMap((row) =>
    row.identifier === '' || row.refused === null
      ? []
      : { start: row.start, class: row.class, allowed: row.asked - row.refused, refused: row.refused },
  );
  return { minutes, complete: minutes.length === rows.length };
}
