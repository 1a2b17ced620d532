import { setImmediate } from 'node:timers/promises';
import { and, eq, gte, lt } from 'drizzle-orm';
import { demand } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import type { EndpointClass } from '@/lib/limiter/meter';
import { type DemandSubject, PART, PARTS } from '@/lib/statistics/demand';
import { MINUTE } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** How much is read in one turn of the event loop, in milliseconds of demand. */
const AT_ONCE = 20 * MINUTE;

/** What was asked for in a span of time, by those who are followed one by one and by all others together. */
export interface DemandOf {
  /** Requests by ten seconds, oldest first, by identifier. */
  identifiers: ReadonlyMap<string, Float64Array>;
  /** Requests of all others, by ten seconds. */
  others: Float64Array;
}

/** Demand from `from` up to and without `to`, both on a minute. At most `FOLLOWED` + 1 rows a minute are read. */
export async function readDemand(
  database: Database,
  subject: DemandSubject,
  scope: EndpointClass | 'all',
  from: Millis,
  to: Millis,
): Promise<DemandOf> {
  const length = ((to - from) / MINUTE) * PARTS;
  const identifiers = new Map<string, Float64Array>();
  const others = new Float64Array(length);
  const add = ({ start, identifier, p0, p1, p2, p3, p4, p5 }: typeof demand.$inferSelect) => {
    let parts = identifier === '' ? others : identifiers.get(identifier);
    if (parts === undefined) {
      parts = new Float64Array(length);
      identifiers.set(identifier, parts);
    }
    parts.set([p0, p1, p2, p3, p4, p5], (start - from) / PART);
  };
  for (let begin = from; begin < to; begin += AT_ONCE) {
    const within = and(gte(demand.start, begin), lt(demand.start, Math.min(to, begin + AT_ONCE)));
    const rows = await database.drizzle
      .select()
      .from(demand)
      .where(and(within, eq(demand.subject, subject), eq(demand.class, scope)));
    for (const row of rows) add(row);
    await setImmediate();
  }
  return { identifiers, others };
}
