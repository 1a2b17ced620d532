import { and, eq, gte, inArray } from 'drizzle-orm';
import { z } from 'zod';
import { audit } from '@/drizzle/schema';
import { opening } from '@/lib/admin/alerts/events';
import { monthOf, thresholdAlert } from '@/lib/admin/alerts/quota-thresholds';
import { alertSettings } from '@/lib/admin/alerts/settings';
import { alertWriter } from '@/lib/admin/alerts/writer';
import { change, Overtaken } from '@/lib/admin/change';
import { quotaUsages } from '@/lib/admin/keys/usage';
import type { QuotaUsage } from '@/lib/contract/quota';
import type { KeyRecord } from '@/lib/enforcement/rules';
import { MOST_SHIFT } from '@/lib/limiter/month-anchor';
import { monthAt, monthStart } from '@/lib/limiter/window';
import { systemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

const RECORD = { action: 'quota.threshold', targetType: 'api_key' } as const;

/** Keys that one call looks at, and audit records that it writes, at most. */
const MOST_KEYS = 5_000;
const MOST_RECORDS = 50;
const CHUNK = 500;

/**
 * Writes an audit record for every key of this process that has reached one of the thresholds of the alert settings, with
 * its alert in the same transaction: once for each key, threshold and month, whatever a reset did in between. Runs behind the decisions: looks at the keys that
 * were used since it ran last. Two processes cannot write the same one, because a change sees what the one before it
 * wrote (`change`).
 * @returns how many records were written
 * @throws StoreUnavailable, DatabaseUnavailable; the keys are looked at again by the next call
 */
export async function markQuotaThresholds(services: Services): Promise<number> {
  const ids = services.statistics.usage.takeKeys(MOST_KEYS);
  if (ids.length === 0) return 0;
  let left: readonly string[] = ids;
  try {
    const now = services.clock();
    const { percent } = (await alertSettings(services.database)).quota_threshold;
    const rules = await services.rules.readFresh();
    const keys = ids.flatMap((id) => rules.keysById.get(id) ?? []);
    const usages = await quotaUsages(services.counters, rules, keys, now);
    const reached = usages.flatMap((usage, index) => {
      const key = keys[index];
      if (key === undefined || usage.usage === 0) return [];
      const month = monthOf(key, now);
      return percent
        .filter((threshold) => usage.usage * 100 >= threshold * usage.limit)
        .map((threshold) => ({ key, usage, threshold, month, mark: markOf(key.id, threshold, month) }));
    });
    const marked = await markedOf(services, now, [...new Set(reached.map(({ key }) => key.id))]);
    const due = reached.filter(({ mark }) => !marked.has(mark));
    let written = 0;
    for (const one of due.slice(0, MOST_RECORDS)) {
      if (await writeMark(services, now, one)) written += 1;
    }
    left = due.slice(MOST_RECORDS).map(({ key }) => key.id);
    return written;
  } finally {
    services.statistics.usage.keepKeys(left);
  }
}

/** A threshold that a key has reached in a month. */
interface Reached {
  key: KeyRecord;
  usage: QuotaUsage;
  threshold: number;
  month: string;
  mark: string;
}

/** @returns false when another process was first */
function writeMark(services: Services, now: Millis, { key, usage, threshold, month, mark }: Reached): Promise<boolean> {
  const { id } = key;
  const { tier, limit } = usage;
  const after = { threshold_percent: threshold, month, tier, usage: usage.usage, limit };
  const reason = `${threshold}% of the quota of ${month} is used.`;
  return change(systemContext(services), async () => {
    if ((await markedOf(services, now, [id])).has(mark)) throw new Overtaken();
    const { settings, writer } = await alertWriter(services);
    const alert = thresholdAlert({ key, usage }, threshold, now);
    const statements = settings.quota_threshold.enabled ? opening(writer, alert) : [];
    return { audit: { ...RECORD, target: id, after, reason }, statements, result: true };
  }).catch((error: unknown) => {
    if (error instanceof Overtaken) return false;
    throw error;
  });
}

function markOf(apiKeyId: string, threshold: number, month: string): string {
  return `${apiKeyId}|${threshold}|${month}`;
}

const Marked = z.object({ threshold_percent: z.number(), month: z.string() });

/** What was marked lately, in any month that may still run. */
async function markedOf({ database }: Services, now: Millis, ids: readonly string[]): Promise<Set<string>> {
  const marked = new Set<string>();
  const since = gte(audit.at, monthStart(monthAt(now) - MOST_SHIFT - 1));
  const ofThresholds = and(eq(audit.targetType, RECORD.targetType), eq(audit.action, RECORD.action), since);
  for (let start = 0; start < ids.length; start += CHUNK) {
    const rows = await database.drizzle
      .select({ target: audit.target, after: audit.after })
      .from(audit)
      .where(and(ofThresholds, inArray(audit.target, ids.slice(start, start + CHUNK))));
    for (const { target, after } of rows) {
      const { threshold_percent: threshold, month } = Marked.parse(JSON.parse(after ?? 'null'));
      marked.add(markOf(target ?? '', threshold, month));
    }
  }
  return marked;
}
