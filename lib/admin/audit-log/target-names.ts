import { and, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import { webhooks } from '@/drizzle/alerts-schema';
import { assessments } from '@/drizzle/assessment-schema';
import { adminTokens, apiKeys, audit, members } from '@/drizzle/schema';
import type { AuditRow } from '@/lib/admin/change-kind/record';
import { matchText } from '@/lib/admin/stored-list';
import type { Database } from '@/lib/db/database';
import { parseJson } from '@/lib/json';

/** Tables whose rows have an id and a name. Rows of the first four are never deleted. */
const NAMED = [
  { table: apiKeys, id: apiKeys.id, name: apiKeys.name },
  { table: adminTokens, id: adminTokens.id, name: adminTokens.name },
  { table: webhooks, id: webhooks.id, name: webhooks.name },
  { table: members, id: members.id, name: members.email },
  { table: assessments, id: assessments.id, name: assessments.name },
] as const;

/** Target types whose targets are ids in these tables. */
const NAMED_TYPES = ['api_key', 'token', 'webhook', 'member', 'assessment'];

const Named = z.object({ email: z.string().optional(), name: z.string().nullish() });

/** Selects the name in a JSON document of an audit record. Null also if the document was tampered with. */
function selectName(column: AnySQLiteColumn): SQL<string | null> {
  const name = sql`coalesce(json_extract(${column}, '$.email'), json_extract(${column}, '$.name'))`;
  return sql`case when json_valid(${column}) then ${name} end`;
}

interface TargetNames {
  target_name: string | null;
  target_name_now: string | null;
}

/** Finds the names of the targets at the time of each record, and their current names if they differ. */
export async function findTargetNames({ drizzle }: Database, rows: readonly AuditRow[]) {
  const ids = [...new Set(rows.filter((row) => NAMED_TYPES.includes(row.targetType)).map(({ target }) => target))];
  const none: TargetNames = { target_name: null, target_name_now: null };
  if (ids.length === 0) return () => none;
  const [present, renames] = await Promise.all([
    Promise.all(
      NAMED.map(({ table, id, name }) =>
        drizzle
          .select({ id: sql<string>`${id}`, name: sql<string>`${name}` })
          .from(table)
          .where(inArray(id, ids)),
      ),
    ),
    drizzle
      .select({
        target: audit.target,
        seq: audit.seq,
        before: selectName(audit.before),
        after: selectName(audit.after),
      })
      .from(audit)
      .where(and(inArray(audit.target, ids), sql`${selectName(audit.before)} <> ${selectName(audit.after)}`))
      .orderBy(audit.seq),
  ]);
  const now = new Map(present.flat().map(({ id, name }) => [id, name]));
  return (row: AuditRow): TargetNames => {
    if (!NAMED_TYPES.includes(row.targetType)) return none;
    const own = parseName(row.after) ?? parseName(row.before);
    const ofTarget = renames.filter(({ target }) => target === row.target);
    const earlier = ofTarget.findLast(({ seq }) => seq <= row.seq)?.after;
    const later = ofTarget.find(({ seq }) => seq > row.seq)?.before;
    const present = now.get(row.target) ?? null;
    const then = own ?? earlier ?? later ?? present;
    return { target_name: then, target_name_now: present === then ? null : present };
  };
}

function parseName(json: string | null): string | undefined {
  const named = Named.safeParse(parseJson(json ?? '')).data;
  return named?.email ?? named?.name ?? undefined;
}

/** Matches records whose target has a name that contains a text, now or before a rename. */
export function matchTargetName(text: string): SQL | undefined {
  const matchName = (name: SQL) => sql`instr(lower(${name}), lower(${text})) > 0`;
  const present = NAMED.map(
    ({ table, id, name }) => sql`select ${id} from ${table} where ${matchText(text, name) ?? sql`true`}`,
  );
  // Only records that create, rename or remove a target hold names; their targets match all other records. Parsing JSON
  // is expensive, so only documents that contain the text are parsed.
  const asJson = JSON.stringify(text).slice(1, -1);
  const past = sql`select ${audit.target} from ${audit} where ${and(
    inArray(audit.targetType, NAMED_TYPES),
    matchText(asJson, audit.before, audit.after),
    or(matchName(selectName(audit.before)), matchName(selectName(audit.after))),
  )}`;
  return sql`${audit.target} in (${sql.join([...present, past], sql` union `)})`;
}
