import { and, eq, gte, lt, sql } from 'drizzle-orm';
import { demand } from '@/drizzle/schema';
import { formatAdmission } from '@/lib/admin/effect/sentences';
import { findOverlaps } from '@/lib/admin/exception-kind/overlaps';
import { formatRangeSize } from '@/lib/contract/fields/wide-range';
import { isWithin, parseRange } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';
import { findStart } from '@/lib/statistics/step';
import { HOUR, MINUTE } from '@/lib/units';

/** Requests of one identifier in the last hour, by cost. */
interface Sent {
  identifier: string;
  units: number;
  refused: number;
}

/** Caches the traffic of the last hour, so that many planned entries read it once. */
export class AdmittedDemand {
  readonly #read = new Map<string, Promise<Sent[]>>();

  constructor(readonly context: Context) {}

  readSentRequests(subject: 'ip' | 'user'): Promise<Sent[]> {
    const reading = this.#read.get(subject) ?? this.#readAll(subject);
    this.#read.set(subject, reading);
    return reading;
  }

  async #readAll(subject: 'ip' | 'user'): Promise<Sent[]> {
    const { services, now } = this.context;
    const to = findStart(now, MINUTE);
    const { start, identifier, p0, p1, p2, p3, p4, p5, refused } = demand;
    return services.database.drizzle
      .select({
        identifier,
        units: sql<number>`sum(${p0} + ${p1} + ${p2} + ${p3} + ${p4} + ${p5})`,
        refused: sql<number>`sum(coalesce(${refused}, 0))`,
      })
      .from(demand)
      .where(and(gte(start, to - HOUR), lt(start, to), eq(demand.subject, subject)))
      .groupBy(identifier);
  }
}

/**
 * Describes which callers an allowlist entry would let pass, by the limited traffic of the last hour, and which entries
 * it overlaps.
 */
export async function describeAdmission(
  traffic: AdmittedDemand,
  { type, identifier }: { type: string; identifier: string },
): Promise<string> {
  const { services, now } = traffic.context;
  const range = type === 'ip' ? parseRange(identifier) : null;
  const sent = await traffic.readSentRequests(type === 'ip' ? 'ip' : 'user');
  const isAffected = (name: string) => {
    if (range === null) return name === identifier;
    const subject = parseRange(name);
    return subject !== null && (isWithin(subject.first, range) || isWithin(range.first, subject));
  };
  const concerned = sent.filter(({ identifier: name }) => name !== '' && isAffected(name));
  const isSingle = range === null || range.text === range.first.text;
  const unknown = isSingle ? 0 : (sent.find(({ identifier: name }) => name === '')?.units ?? 0);
  const rules = await services.rules.readFresh();
  const overlaps = findOverlaps(rules, { type, identifier }, now);
  return formatAdmission(concerned, { unknown, size: isSingle ? null : formatRangeSize(range), overlaps });
}
