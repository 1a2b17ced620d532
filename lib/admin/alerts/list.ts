import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { alerts } from '@/drizzle/alerts-schema';
import { findObject, nameObjects } from '@/lib/admin/alerts/alert-object';
import { buildAlert } from '@/lib/admin/alerts/row';
import { buildSortings, createStoredList, matchText, matchValues } from '@/lib/admin/stored-list';
import { type Alert, type AlertEvent, listAlerts as contract } from '@/lib/contract/alerts';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { implement } from '@/lib/operation/operation';
import type { Millis } from '@/lib/units';

/** 1 if an alert is acknowledged, or snoozed now. */
const isHandled = (now: Millis) =>
  sql<number>`(${alerts.acknowledgedAt} is not null or coalesce(${alerts.snoozedUntil}, 0) > ${now})`;

/** Kinds of alerts, the most urgent last. */
const URGENCY: readonly AlertEvent[] = [
  'exception.ending',
  'quota.forecast',
  'quota.threshold',
  'refusals.burst',
  'clock.skew',
  'bypass.share',
  'store.down',
];
/** More than the highest threshold, and than the seconds of every time. */
const [THRESHOLDS, SECONDS] = [1_001, 1e11];

/** Sorts by kind, then by threshold, then by time. */
const URGENCY_SORTING = {
  sql: sql`(((case ${alerts.event} ${sql.join(
    URGENCY.map((event, rank) => sql`when ${event} then ${rank}`),
    sql` `,
  )} end) * ${THRESHOLDS} + coalesce(json_extract(${alerts.data}, '$.threshold_percent'), 0)) * ${SECONDS} + ${alerts.openedAt} / 1000)`,
  of: ({ event, details, opened_at: at }: Alert) =>
    (URGENCY.indexOf(event) * THRESHOLDS + Number(details.threshold_percent ?? 0)) * SECONDS +
    Math.floor(Date.parse(at) / 1000),
};

/** Lists open and resolved alerts. */
export const listAlerts = implement(
  contract,
  createStoredList({
    order: '-opened_at',
    defaultLimit: MAX_PAGE,
    query: (drizzle) => drizzle.select().from(alerts),
    async present(rows, { services, now }) {
      const objects = [...new Set(rows.map(({ subject }) => findObject(subject)))];
      const names = await nameObjects(services.database, objects);
      return rows.map((row) => buildAlert(row, names, now));
    },
    sortings: { ...buildSortings(alerts, 'opened_at', 'resolved_at'), urgency: URGENCY_SORTING },
    id: { sql: sql`${alerts.id}`, of: (alert) => alert.id },
    where: ({ status, event, q, acknowledged }, now) =>
      and(
        status === 'all' ? undefined : status === 'open' ? isNull(alerts.resolvedAt) : isNotNull(alerts.resolvedAt),
        matchValues(alerts.event, event),
        acknowledged === undefined ? undefined : eq(isHandled(now), acknowledged === 'yes' ? 1 : 0),
        matchText(q, alerts.subject, alerts.data),
      ),
  }),
);
