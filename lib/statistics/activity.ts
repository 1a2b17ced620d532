import { and, eq, inArray, sql } from 'drizzle-orm';
import { demand } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import type { DemandSubject } from '@/lib/statistics/demand';
import { MINUTE } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** Requests of one identifier in one minute and class, by cost. */
interface ActiveMinute {
  start: Millis;
  class: string;
  allowed: number;
  refused: number;
}

/** What follows of the stored demand about one identifier. */
export interface StoredActivity {
  /** Oldest first. */
  minutes: ActiveMinute[];
  /** False where some of its requests may be among those that were not counted one by one. */
  complete: boolean;
}

/** What one identifier asked for from `from` to before `to`, both on a minute: at most two rows a minute and class are read. */
export async function storedActivity(
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
        // Each row by its primary key.
        sql`${demand.start} in (select value from json_each(${JSON.stringify(starts)}))`,
        eq(demand.subject, subject),
        inArray(demand.class, subject === 'client' ? ['all'] : [...ENDPOINT_CLASSES]),
        inArray(demand.identifier, [identifier, '']),
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
