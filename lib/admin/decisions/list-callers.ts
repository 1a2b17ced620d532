import { and, max, min, sql, sum } from 'drizzle-orm';
import { z } from 'zod';
import { decisions } from '@/drizzle/schema';
import { buildDecisionCondition, type ResolvedFilters, resolveFilters } from '@/lib/admin/decisions/decision-log';
import { readKeyNames } from '@/lib/admin/keys/names';
import { type Caller, listCallers as contract } from '@/lib/contract/callers';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { QueryOf } from '@/lib/contract/operation';
import type { Database } from '@/lib/db/database';
import { isReadable, readUpTo } from '@/lib/db/readable-rows';
import { ENDPOINT_CLASSES, isOfApiKeys } from '@/lib/limiter/meter';
import { createColumns, list, parseSortTime } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import type { Millis } from '@/lib/units';

/** Lists callers that were refused or bypassed, the most frequent first. */
export const listCallers = implement(contract, async (context, input) => {
  const filters = await resolveFilters(context.services.database, input.query);
  return createCallerList(filters)(context, input);
});

/** Builds the list of callers whose decisions match the filters. */
function createCallerList(filters: ResolvedFilters) {
  return list<QueryOf<typeof contract>, Caller>({
    read: async ({ services: { database } }, { where, orderBy, limit }) => {
      const callers = groupDecisions(database, filters);
      const rows = await readUpTo(limit, (most) =>
        database.drizzle
          .select()
          .from(callers)
          .where(where)
          .orderBy(...orderBy)
          .limit(most),
      );
      const ids = rows.flatMap(({ subject, identifier }) => (isOfApiKeys(subject) ? identifier : []));
      const names = await readKeyNames(database, ids);
      return rows.map(({ subject, identifier, total, firstAt, lastAt, classes }) => ({
        subject,
        identifier,
        api_key_name: (isOfApiKeys(subject) && names.get(identifier ?? '')) || null,
        count: total,
        classes: parseClassCounts(classes),
        first_at: formatTimestamp(firstAt),
        last_at: formatTimestamp(lastAt),
      }));
    },
    sortings: {
      count: { sql: sql`total`, of: (caller) => caller.count },
      first_at: { sql: sql`first_at`, of: (caller) => parseSortTime(caller.first_at) },
      last_at: { sql: sql`last_at`, of: (caller) => parseSortTime(caller.last_at) },
    },
    id: {
      sql: sql`coalesce(subject, '') || '|' || coalesce(identifier, '')`,
      of: ({ subject, identifier }) => `${subject ?? ''}|${identifier ?? ''}`,
    },
    order: '-count',
    where: () => undefined,
    download: {
      name: 'callers',
      columns: [
        ...createColumns('subject', 'identifier', 'api_key_name', 'count'),
        ['classes', ({ classes }) => classes.map((one) => `${one.class} ${one.count}`).join(', ')],
        ...createColumns('first_at', 'last_at'),
      ],
    },
  });
}

/** Sorts counts by class, the highest first. @param json an object of counts by class */
function parseClassCounts(json: string): Caller['classes'] {
  // Decisions by named limits only have the empty class.
  const counts = z.partialRecord(z.enum([...ENDPOINT_CLASSES, '']), z.number()).parse(JSON.parse(json));
  return ENDPOINT_CLASSES.map((name) => ({ class: name, count: counts[name] ?? 0 }))
    .filter((one) => one.count > 0)
    .sort((a, b) => b.count - a.count);
}

/** Filters by columns of the index `decisions_callers`. */
const INDEXED: readonly string[] = ['class', 'outcome', 'subject', 'from', 'to'];
/** Query members that are not filters. */
const NO_FILTERS: readonly string[] = ['limit', 'cursor', 'format', 'sort'];

/**
 * Groups decisions by subject and identifier.
 * Groups them by class first, because the index `decisions_callers` serves that without reading the table. A plus
 * before a column disables an index that suits the filter less.
 */
function groupDecisions({ drizzle }: Database, { class: endpointClass, ...filters }: ResolvedFilters) {
  const { subjectType, identifier, class: column, at } = decisions;
  const indexed = Object.entries(filters).every(
    ([name, value]) =>
      value === undefined || name === 'addresses' || INDEXED.includes(name) || NO_FILTERS.includes(name),
  );
  const grouped = indexed ? [subjectType, identifier] : [sql`+${subjectType}`, sql`+${identifier}`];
  const ofClass = endpointClass === undefined ? undefined : sql`+${column} = ${endpointClass}`;
  const byClass = drizzle
    .select({
      subject: sql`${subjectType}`.as('subject'),
      identifier: sql`${identifier}`.as('identifier'),
      class: sql`${column}`.as('class'),
      hits: sql<number>`${sum(decisions.count)}`.as('hits'),
      first: min(at).as('first'),
      last: max(at).as('last'),
    })
    .from(decisions)
    .where(
      and(buildDecisionCondition(filters), ofClass, isReadable(subjectType, identifier, column, at, decisions.count)),
    )
    .groupBy(...grouped, column)
    .as('by_class');
  return drizzle
    .select({
      subject: sql<Caller['subject']>`${byClass.subject}`.as('subject'),
      identifier: sql<string | null>`${byClass.identifier}`.as('identifier'),
      total: sql<number>`sum(${byClass.hits})`.as('total'),
      firstAt: sql<Millis>`min(${byClass.first})`.as('first_at'),
      lastAt: sql<Millis>`max(${byClass.last})`.as('last_at'),
      classes: sql<string>`json_group_object(${byClass.class}, ${byClass.hits})`.as('classes'),
    })
    .from(byClass)
    .groupBy(sql`subject`, sql`identifier`)
    .as('callers');
}
