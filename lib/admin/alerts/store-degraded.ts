import type { NewAlert } from '@/lib/admin/alerts/events';
import { openAlerts } from '@/lib/admin/alerts/reconcile';
import { alertDataIn } from '@/lib/admin/alerts/row';
import type { Database } from '@/lib/db/database';
import { findStart, MINUTE } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

const SUBJECT = 'counter_store';
/** How many minutes are looked at, the one that runs included. */
const MINUTES = 5;
/** In how many of them decisions must have been made without the store. A pause of seconds touches two at most. */
const LEAST_MINUTES = 3;
const NUMBER = new Intl.NumberFormat('en-US');

/*
 * What all instances have counted: decisions at half the limit, and refusals for want of the store. Those share their code
 * with refusals by the throttle and by an incident, so the decision log, which names a source of each of these, is asked
 * for them, and only where there are such refusals at all. What was decided while the store was told of as down is left
 * out.
 */
const WITHOUT_STORE = `
  select start, sum(count) as count from (
    select start, count from rollups where step = 60 and start >= ?1 and outcome = 'degraded'
    union all
    select at - at % ${MINUTE}, 1 from decisions
      where at >= ?1 and outcome = 'refused' and reason = 'service_unavailable' and source is null
        and exists (select 1 from rollups where step = 60 and start >= ?1 and reason = 'service_unavailable'))
  where start > (
    select coalesce(max(seen_at), 0) from alerts
    where event = 'store.down' and subject = '${SUBJECT}' and json_extract(data, '$.state') is not 'degraded')
  group by start`;

/** The alert of a counter store that answers, but not always; `isOver` once it has answered for minutes. */
export async function degradedStore(
  database: Database,
  now: Millis,
): Promise<{ alert: NewAlert | null; isOver: boolean }> {
  const from = findStart(now, MINUTE) - (MINUTES - 1) * MINUTE;
  const { rows } = await database.client.execute({ sql: WITHOUT_STORE, args: [from] });
  if (rows.length < LEAST_MINUTES) return { alert: null, isOver: rows.length === 0 };
  const decisions = rows.reduce((sum, { count }) => sum + Number(count), 0);
  const summary = `The counter store fails intermittently: at least ${NUMBER.format(decisions)} decisions within ${MINUTES} minutes were made without it.`;
  const data = { summary, link: '/', part: SUBJECT, state: 'degraded', decisions, minutes: MINUTES };
  return { alert: { event: 'store.down', subject: SUBJECT, period: null, data }, isOver: false };
}

/** Why the alert of a degraded store is resolved, when nothing else says so. */
export const ANSWERS_AGAIN = `No decision of the last ${MINUTES} minutes was made without it.`;

/** Open alerts of stores, by whether they are about one that is down or one that is degraded. */
export async function openOfStores(database: Database) {
  const open = await openAlerts(database, 'store.down');
  const isDegraded = (row: (typeof open)[number]) => alertDataIn(row.data).state === 'degraded';
  return { degraded: open.find(isDegraded), down: open.filter((row) => !isDegraded(row)) };
}
