import { and, desc, eq, gt, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { lastUses, overrides } from '@/drizzle/schema';
import { lastUseOf } from '@/lib/admin/last-use';
import { toOverride } from '@/lib/admin/override-row';
import { operation, Reply } from '@/lib/http/operation';
import { decodeCursor, pageOf, pageParameters } from '@/lib/http/pagination';
import { EndpointClassSchema, IdentifierTypeSchema } from '@/lib/schemas/enumerations';
import { OverrideSchema } from '@/lib/schemas/override';

const Query = z.strictObject({
  ...pageParameters,
  status: z
    .enum(['active', 'expired', 'all'], 'must be active, expired or all')
    .default('active')
    .describe('Removed overrides are in none of them.'),
  type: IdentifierTypeSchema.optional(),
  class: EndpointClassSchema.optional(),
  q: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Part of the identifier or the reason, in any letter case (of ASCII).'),
});

const Position = z.tuple([z.int(), z.string()]);

const DEFAULT_LIMIT = 100;

/** Own limits, newest first, page by page. */
export const listOverrides = operation({
  id: 'listOverrides',
  method: 'GET',
  path: '/v1/admin/rate-limit/overrides',
  tag: 'Overrides',
  summary: 'List own limits',
  description: `Newest first; ${DEFAULT_LIMIT} on a page unless \`limit\` says otherwise.`,
  access: 'viewer',
  query: Query,
  response: {
    status: 200,
    description: 'A page of overrides.',
    schema: z.array(OverrideSchema),
    headers: { Link: 'The next page, `rel="next"`, when there is one.' },
  },
  run: async (context, { query }) => {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const after = query.cursor === undefined ? undefined : decodeCursor(Position, query.cursor);
    const older = after && sql`(${overrides.createdAt}, ${overrides.id}) < (${after[0]}, ${after[1]})`;
    const rows = await context.services.database.drizzle
      .select({ row: overrides, lastUsedAt: lastUses.at })
      .from(overrides)
      .leftJoin(lastUses, lastUseOf('override', overrides.id))
      .where(and(conditions(query, context.now), older))
      .orderBy(desc(overrides.createdAt), desc(overrides.id))
      .limit(limit + 1);
    const { items, headers } = pageOf(rows, limit, context.request.url, ({ row }) => [row.createdAt, row.id]);
    return new Reply(
      items.map(({ row, lastUsedAt }) => toOverride(row, lastUsedAt)),
      { headers },
    );
  },
});

function conditions({ status, type, class: endpointClass, q }: z.infer<typeof Query>, now: number): SQL | undefined {
  const active = or(isNull(overrides.expiresAt), gt(overrides.expiresAt, now));
  return and(
    isNull(overrides.removedAt),
    status === 'active' ? active : undefined,
    status === 'expired' ? lte(overrides.expiresAt, now) : undefined,
    type === undefined ? undefined : eq(overrides.type, type),
    endpointClass === undefined ? undefined : eq(overrides.class, endpointClass),
    q === undefined
      ? undefined
      : sql`(instr(lower(${overrides.identifier}), lower(${q})) > 0 or instr(lower(${overrides.reason}), lower(${q})) > 0)`,
  );
}
