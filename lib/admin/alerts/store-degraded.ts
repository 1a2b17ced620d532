import type { NewAlert } from '@/lib/admin/alerts/events';
import { openAlerts } from '@/lib/admin/alerts/reconcile';
import { parseAlertData } from '@/lib/admin/alerts/row';
import type { Database } from '@/lib/db/database';
import { formatNumber } from '@/lib/format-number';
import { IS_COUNT } from '@/lib/statistics/decision-series';
import { findStart } from '@/lib/statistics/step';
import { MINUTE, type Millis } from '@/lib/units';

const SUBJECT = 'counter_store';
/** Number of minutes checked, including the current one. */
const MINUTES = 5;
/** Fewest of those minutes with decisions made without the store. A pause of seconds touches at most two. */
const LEAST_MINUTES = 3;

/**
 * Counts decisions of all instances that were made without the store, by minute: degraded ones and refusals.
 * Refusals by the throttle and by an incident share the reason code. Only the decision log names their source, so the
 * query reads the log, and only if such refusals exist. It skips minutes up to the last one that an alert reports as
 * an outage.
 */
const WITHOUT_STORE = `
  select start, sum(count) as count from (
    select start, count from rollups where step = 60 and start >= ?1 and outcome = 'degraded' and ${IS_COUNT}
    union all
    select at - at % ${MINUTE}, 1 from decisions
      where at >= ?1 and typeof(at) = 'integer' and outcome = 'refused' and reason = 'service_unavailable' and source is null
        and exists (select 1 from rollups where step = 60 and start >= ?1 and reason = 'service_unavailable'))
  where start > (
    select coalesce(max(seen_at), 0) from alerts
    where event = 'store.down' and subject = '${SUBJECT}' and typeof(seen_at) = 'integer'
      and iif(json_valid(data), json_extract(data, '$.state'), null) is not 'degraded')
  group by start`;

/**
 * Builds the alert for a counter store that fails intermittently. `isOver` is true if all recent decisions used it.
 */
export async function detectDegradedStore(
  database: Database,
  now: Millis,
): Promise<{ alert: NewAlert | null; isOver: boolean }> {
  const from = findStart(now, MINUTE) - (MINUTES - 1) * MINUTE;
  const { rows } = await database.client.execute({ sql: WITHOUT_STORE, args: [from] });
  if (rows.length < LEAST_MINUTES) return { alert: null, isOver: rows.length === 0 };
  const decisions = rows.reduce((sum, { count }) => sum + Number(count), 0);
  const summary = `The counter store fails intermittently: at least ${formatNumber(decisions)} decisions within ${MINUTES} minutes were made without it.`;
  const data = { summary, link: '/', part: SUBJECT, state: 'degraded', decisions, minutes: MINUTES };
  return { alert: { event: 'store.down', subject: SUBJECT, period: null, data }, isOver: false };
}

/** Resolution of the alert for a degraded store, unless there is another reason. */
export const ANSWERS_AGAIN = `No decision of the last ${MINUTES} minutes was made without it.`;

/** Finds the open alerts of stores: one for a degraded store, the others for parts that are down. */
export async function findOpenStoreAlerts(database: Database) {
  const open = await openAlerts(database, 'store.down');
  const isDegraded = (row: (typeof open)[number]) => parseAlertData(row.data).state === 'degraded';
  return { degraded: open.find(isDegraded), down: open.filter((row) => !isDegraded(row)) };
}
