import { and, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { buildAuditRecord } from '@/lib/admin/audit-log/record';
import { findTargetNames, matchTargetName } from '@/lib/admin/audit-log/target-names';
import { createStoredList, matchText } from '@/lib/admin/stored-list';
import { findUndoability } from '@/lib/admin/undo/undoability';
import { listAudit as contract } from '@/lib/contract/audit-log';
import { createColumns } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

/** Matches an action by its name, or all actions that start with a prefix and a dot. */
function isAction(action: string): SQL | undefined {
  return or(eq(audit.action, action), sql`substr(${audit.action}, 1, ${action.length + 1}) = ${`${action}.`}`);
}

const stringifyOrNull = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Lists audit records, newest first, as a list or as a download. */
export const listAudit = implement(
  contract,
  createStoredList({
    query: (drizzle) => drizzle.select().from(audit),
    async present(rows, context) {
      const namesOf = await findTargetNames(context.services.database, rows);
      const undoable = await findUndoability(context, rows);
      return rows.map((row) => {
        const undo = undoable.get(row.seq) ?? { possible: false };
        return buildAuditRecord(row, { ...namesOf(row), undo });
      });
    },
    download: {
      name: 'audit',
      columns: [
        ...createColumns(
          'seq',
          'at',
          'actor',
          'actor_name',
          'action',
          'target_type',
          'target',
          'target_name',
          'target_name_now',
        ),
        ['before', (record) => stringifyOrNull(record.before)],
        ['after', (record) => stringifyOrNull(record.after)],
        ...createColumns('reason', 'request_id', 'address', 'previous_hash', 'hash', 'undoes'),
      ],
    },
    id: { sql: sql`${audit.seq}`, of: (record) => record.seq },
    order: '-seq',
    where: ({ actor, action, target_type: type, target, q, from, to }) =>
      and(
        actor === undefined ? undefined : or(eq(audit.actor, actor), eq(audit.actorName, actor)),
        action === undefined ? undefined : or(...action.split(',').map(isAction)),
        type === undefined ? undefined : eq(audit.targetType, type),
        target === undefined ? undefined : eq(audit.target, target),
        q === undefined ? undefined : or(matchText(q, audit.actorName, audit.target, audit.reason), matchTargetName(q)),
        from === undefined ? undefined : gte(audit.at, from),
        to === undefined ? undefined : lt(audit.at, to),
      ),
  }),
);
