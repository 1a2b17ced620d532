import { and, desc, eq, gt, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { allowlist } from '@/drizzle/schema';
import { type AllowlistRow, toAllowlistEntry } from '@/lib/admin/allowlist-entry';
import { chunksOf } from '@/lib/admin/chunks-of';
import type { Database } from '@/lib/db/database';
import { jsonArrayResponse } from '@/lib/http/json-array-response';
import { operation, Reply } from '@/lib/http/operation';
import { decodeCursor, pageOf, pageParameters } from '@/lib/http/pagination';
import { AllowlistEntrySchema } from '@/lib/schemas/allowlist';
import { IdentifierTypeSchema } from '@/lib/schemas/enumerations';

const Query = z.strictObject({
  ...pageParameters,
  status: z
    .enum(['active', 'expired', 'all'], 'must be active, expired or all')
    .default('active')
    .describe('Removed entries are in none of them.'),
  type: IdentifierTypeSchema.optional(),
  q: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Part of the identifier or the reason, in any letter case (of ASCII).'),
});

const Position = z.tuple([z.int(), z.string()]);
type Position = z.infer<typeof Position>;

const DEFAULT_LIMIT = 100;

/** The active allowlist, newest first; everything, unless a page is asked for. */
export const listAllowlist = operation({
  id: 'listAllowlist',
  method: 'GET',
  path: '/v1/admin/rate-limit/allowlist',
  tag: 'Allowlist',
  summary: 'List allowlist entries',
  description: 'Newest first. Without `limit` and `cursor` the answer holds every entry.',
  access: 'viewer',
  query: Query,
  response: {
    status: 200,
    description: 'The entries.',
    schema: z.array(AllowlistEntrySchema),
    headers: { Link: 'The next page, `rel="next"`, when there is one.' },
  },
  run: async (context, { query }) => {
    const { database } = context.services;
    const filter = conditions(query, context.now);
    if (query.limit === undefined && query.cursor === undefined) {
      return jsonArrayResponse(everything(database, filter));
    }
    const limit = query.limit ?? DEFAULT_LIMIT;
    const after = query.cursor === undefined ? undefined : decodeCursor(Position, query.cursor);
    const { items, headers } = pageOf(
      await read(database, filter, after, limit + 1),
      limit,
      context.request.url,
      positionOf,
    );
    return new Reply(items.map(toAllowlistEntry), { headers });
  },
});

async function* everything(database: Database, filter: SQL | undefined) {
  const chunks = chunksOf<AllowlistRow>((after, limit) => read(database, filter, after && positionOf(after), limit));
  for await (const rows of chunks) yield rows.map(toAllowlistEntry);
}

function positionOf(row: AllowlistRow): Position {
  return [row.createdAt, row.id];
}

function conditions(query: z.infer<typeof Query>, now: number): SQL | undefined {
  const { status, type, q } = query;
  const active = or(isNull(allowlist.expiresAt), gt(allowlist.expiresAt, now));
  return and(
    isNull(allowlist.removedAt),
    status === 'active' ? active : undefined,
    status === 'expired' ? lte(allowlist.expiresAt, now) : undefined,
    type === undefined ? undefined : eq(allowlist.type, type),
    q === undefined
      ? undefined
      : sql`(instr(lower(${allowlist.identifier}), lower(${q})) > 0 or instr(lower(${allowlist.reason}), lower(${q})) > 0)`,
  );
}

function read(
  database: Database,
  filter: SQL | undefined,
  after: Position | undefined,
  limit: number,
): Promise<AllowlistRow[]> {
  const older = after && sql`(${allowlist.createdAt}, ${allowlist.id}) < (${after[0]}, ${after[1]})`;
  return database.drizzle
    .select()
    .from(allowlist)
    .where(and(filter, older))
    .orderBy(desc(allowlist.createdAt), desc(allowlist.id))
    .limit(limit);
}
