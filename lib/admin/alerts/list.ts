import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import { alerts } from '@/drizzle/alerts-schema';
import { toAlert } from '@/lib/admin/alerts/row';
import { contains, oneOf, sortingsBy, storedList } from '@/lib/admin/stored-list';
import { listAlerts as contract } from '@/lib/contract/alerts';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { implement } from '@/lib/operation/operation';

/** Lists open and resolved alerts. */
export const listAlerts = implement(
  contract,
  storedList({
    order: '-opened_at',
    defaultLimit: MAX_PAGE,
    query: (drizzle) => drizzle.select().from(alerts),
    present: (rows) => rows.map(toAlert),
    sortings: sortingsBy(alerts, 'opened_at', 'resolved_at'),
    id: { sql: sql`${alerts.id}`, of: (alert) => alert.id },
    where: ({ status, event, q }) =>
      and(
        status === 'all' ? undefined : status === 'open' ? isNull(alerts.resolvedAt) : isNotNull(alerts.resolvedAt),
        oneOf(alerts.event, event),
        contains(q, alerts.subject, alerts.data),
      ),
  }),
);
