import { and, eq, gte, inArray } from 'drizzle-orm';
import { z } from 'zod';
import { audit } from '@/drizzle/schema';
import { openAlert } from '@/lib/admin/alerts/events';
import { buildThresholdAlert, nameUsageMonth } from '@/lib/admin/alerts/quota-thresholds';
import { readAlertSettings } from '@/lib/admin/alerts/settings';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import { change, Overtaken } from '@/lib/admin/change';
import { parseRecordedValue } from '@/lib/admin/change-kind/record';
import { readQuotaUsages } from '@/lib/admin/keys/usage';
import type { QuotaUsage } from '@/lib/contract/quota';
import type { KeyRecord } from '@/lib/enforcement/rules';
import { MOST_SHIFT } from '@/lib/limiter/month-anchor';
import { computeCalendarMonth, computeStartOfMonth } from '@/lib/limiter/window';
import { createSystemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';
import { splitInSteps } from '@/lib/split-in-steps';
import type { Millis } from '@/lib/units';

const RECORD = { action: 'quota.threshold', targetType: 'api_key' } as const;

/** Most keys that one call checks. It writes at most `MOST_RECORDS` audit records. */
const MOST_KEYS = 5_000;
const MOST_RECORDS = 50;
const CHUNK = 500;

/**
 * Writes an audit record and an alert, in one transaction, for each key that reached a threshold of the alert settings.
 * Marks each key, threshold and month once, even after a reset. Checks the keys that this process served since the last
 * run, outside the decision path. Two processes never write the same mark, because `change` reads all earlier changes.
 * @returns the number of records written
 * @throws StoreUnavailable, DatabaseUnavailable; the next call checks the keys again
 */
export async function markQuotaThresholds(services: Services): Promise<number> {
  const ids = services.statistics.usage.takeKeys(MOST_KEYS);
  if (ids.length === 0) return 0;
  let left: readonly string[] = ids;
  try {
    const now = services.clock();
    const { percent } = (await readAlertSettings(services.database)).quota_threshold;
    const rules = await services.rules.readFresh();
    const keys = ids.flatMap((id) => rules.keysById.get(id) ?? []);
    const usages = await readQuotaUsages(services.counters, rules, keys, now);
    const reached = usages.flatMap((usage, index) => {
      const key = keys[index];
      if (key === undefined || usage.usage === 0) return [];
      const month = nameUsageMonth(key, usage.reset_at);
      return percent
        .filter((threshold) => usage.usage * 100 >= threshold * usage.limit)
        .map((threshold) => ({ key, usage, threshold, month, mark: formatMark(key.id, threshold, month) }));
    });
    const marked = await readMarks(services, now, [...new Set(reached.map(({ key }) => key.id))]);
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

/** Writes a mark with its alert. @returns false if another process wrote it first */
function writeMark(services: Services, now: Millis, { key, usage, threshold, month, mark }: Reached): Promise<boolean> {
  const { id } = key;
  const { tier, limit } = usage;
  const after = { threshold_percent: threshold, month, tier, usage: usage.usage, limit };
  const reason = `${threshold}% of the monthly quota is used.`;
  return change(createSystemContext(services), async () => {
    if ((await readMarks(services, now, [id])).has(mark)) throw new Overtaken();
    const { settings, writer } = await createAlertWriter(services);
    const alert = buildThresholdAlert({ key, usage }, threshold);
    const statements = settings.quota_threshold.enabled ? openAlert(writer, alert) : [];
    return { audit: { ...RECORD, target: id, after, reason }, statements, result: true };
  }).catch((error: unknown) => {
    if (error instanceof Overtaken) return false;
    throw error;
  });
}

function formatMark(apiKeyId: string, threshold: number, month: string): string {
  return `${apiKeyId}|${threshold}|${month}`;
}

const Marked = z.object({ threshold_percent: z.number(), month: z.string() });

/** Reads the marks of all months that may still run. */
async function readMarks({ database }: Services, now: Millis, ids: readonly string[]): Promise<Set<string>> {
  const marked = new Set<string>();
  const since = gte(audit.at, computeStartOfMonth(computeCalendarMonth(now) - MOST_SHIFT - 1));
  const ofThresholds = and(eq(audit.targetType, RECORD.targetType), eq(audit.action, RECORD.action), since);
  for (const some of splitInSteps(ids, CHUNK)) {
    const rows = await database.drizzle
      .select({ target: audit.target, after: audit.after })
      .from(audit)
      .where(and(ofThresholds, inArray(audit.target, some)));
    for (const { target, after } of rows) {
      const mark = Marked.safeParse(parseRecordedValue(after)).data;
      if (mark !== undefined) marked.add(formatMark(target, mark.threshold_percent, mark.month));
    }
  }
  return marked;
}
