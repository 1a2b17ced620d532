import { and, eq, gte, lt, or, sql } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { toAuditRecord } from '@/lib/admin/audit-log/record';
import { storedList } from '@/lib/admin/stored-list';
import { listAudit as contract } from '@/lib/contract/audit-log';
import { columnsOf } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Who changed what, newest first: as a list, or as a download. */
export const listAudit = implement(
  contract,
  storedList({
    query: (drizzle) => drizzle.select().from(audit),
    present: (rows) => rows.map(toAuditRecord),
    download: {
      name: 'audit',
      columns: [
        ...columnsOf('seq', 'at', 'actor', 'actor_name', 'action', 'target_type', 'target'),
        ['before', (record) => jsonOf(record.before)],
        ['after', (record) => jsonOf(record.after)],
        ...columnsOf('reason', 'request_id', 'address', 'previous_hash', 'hash'),
      ],
    },
    id: { sql: sql`${audit.seq}`, of: (record) => record.seq },
    order: '-seq',
    where: ({ actor, action, target_type: type, target, from, to }) =>
      and(
        actor === undefined ? undefined : or(eq(audit.actor, actor), eq(audit.actorName, actor)),
        action === undefined
          ? undefined
          : or(eq(audit.action, action), sql`substr(${audit.action}, 1, ${action.length + 1}) = ${`${action}.`}`),
        type === undefined ? undefined : eq(audit.targetType, type),
        target === undefined ? undefined : eq(audit.target, target),
        from === undefined ? undefined : gte(audit.at, from),
        to === undefined ? undefined : lt(audit.at, to),
      ),
  }),
);
