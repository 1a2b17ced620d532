import { and, type SQL, sql } from 'drizzle-orm';
import { buildIdentifierOrder } from '@/drizzle/identifier-order';
import { countExceptions, LAST_USED, readExceptions } from '@/lib/admin/exception-kind/exception-rows';
import { completeExceptions } from '@/lib/admin/exceptions/complete';
import { listExceptions as contract, type Exception } from '@/lib/contract/exceptions';
import { createColumns, list, NEVER, parseSortTime } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import { DAY, type Millis } from '@/lib/units';

/** Conditions for the notes that a query can select, at least for some kinds. Code decides the others. */
const NOTED: Partial<Record<Exception['notes'][number], (now: Millis) => SQL>> = {
  ends_soon: (now) => sql`ends_at <= ${now + DAY}`,
  never_used: () =>
    // A use that is not recorded yet may be in the log. For grants, the counters decide later.
    sql`kind = 'grant' or ${LAST_USED} is null and id not in (
      select source_id from decisions where source = 'allowlist' and source_id is not null)`,
  wide: () =>
    sql`type = 'ip' and instr(identifier, '/') > 0 and cast(substr(identifier, instr(identifier, '/') + 1) as integer)
      < case when instr(identifier, ':') > 0 then 48 else 24 end`,
};

/** Notes whose condition selects exactly their exemptions. */
const DECIDED_BY_QUERY: readonly Exception['notes'][number][] = ['ends_soon', 'wide'];

/** Lists all exemptions from the policies, of every kind. */
export const listExceptions = implement(
  contract,
  list({
    read: async (context, { where, orderBy, limit }) =>
      completeExceptions(context, await readExceptions(context.services.database, where, orderBy, limit)),
    count: ({ services }, where) => countExceptions(services.database, where),
    download: {
      name: 'exceptions',
      columns: [
        ...createColumns('kind', 'id', 'type', 'identifier', 'api_key_name', 'class', 'limit', 'window_seconds'),
        ...createColumns('requests', 'reason', 'ends_at', 'last_used_at', 'created_at', 'created_by'),
        ['limit_name', ({ limit_name }: Pick<Exception, 'limit_name'>) => limit_name ?? null] as const,
        [
          'would_be_limited',
          ({ would_be_limited }: Pick<Exception, 'would_be_limited'>) => would_be_limited?.at_least ?? null,
        ] as const,
        ['notes', ({ notes }: { readonly notes: readonly string[] }) => notes.join(' ')] as const,
      ],
    },
    sortings: {
      /** Sorts grants by the names of their keys. */
      identifier: {
        sql: sql`natural_order`,
        of: ({ type, identifier, api_key_name: name }: Exception) =>
          buildIdentifierOrder({ type, identifier: name ?? identifier }),
      },
      ends_at: {
        sql: sql`coalesce(ends_at, ${NEVER})`,
        of: (exception: Exception) => parseSortTime(exception.ends_at, NEVER),
      },
      created_at: { sql: sql`created_at`, of: (exception: Exception) => parseSortTime(exception.created_at) },
      would_be_limited: { of: (exception: Exception) => exception.would_be_limited?.at_least ?? 0 },
    },
    id: { sql: sql`id`, of: ({ id }: Exception) => id },
    order: '-created_at',
    where: ({ kind, note, q }, now) => {
      const noted = note === undefined ? undefined : NOTED[note]?.(now);
      return and(
        sql`(ends_at is null or ends_at > ${now})`,
        kind === undefined ? undefined : sql`kind in ${kind}`,
        noted === undefined ? undefined : sql`(${noted})`,
        q === undefined
          ? undefined
          : sql`instr(lower(identifier || char(10) || reason || char(10) || coalesce(key_name, '')), lower(${q})) > 0`,
      );
    },
    keep: ({ note }) =>
      note === undefined || DECIDED_BY_QUERY.includes(note)
        ? undefined
        : ({ notes }: Exception) => notes.includes(note),
  }),
);
