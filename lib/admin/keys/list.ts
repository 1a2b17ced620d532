import { and, gt, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { computeOutlooks, type Outlook } from '@/lib/admin/keys/outlook';
import type { ApiKeyRow } from '@/lib/admin/keys/row';
import { addUsage, isEnded, QUOTA_COLUMNS, type QuotaKey, readQuotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { matchStatus, matchText, matchValues, selectLastUse } from '@/lib/admin/stored-list';
import {
  type ApiKeyWithUsage,
  computeQuotaShare,
  listApiKeys as contract,
  deriveQuotaState,
} from '@/lib/contract/keys';
import type { QueryOf } from '@/lib/contract/operation';
import type { QuotaUsage } from '@/lib/contract/quota';
import { readUpTo } from '@/lib/db/readable-rows';
import type { ApiKeyId } from '@/lib/ids';
import { buildNaturalKey } from '@/lib/natural-order';
import type { Context } from '@/lib/operation/context';
import { createColumns, list, NEVER } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import { DAY, type Millis } from '@/lib/units';

type Query = QueryOf<typeof contract>;

const TIERS = 'free starter business enterprise';
const { id, name, tier, prefix, createdAt, expiresAt, revokedAt } = apiKeys;
const lastUsedAt = selectLastUse('api_key', apiKeys.id);
const columns = { ...QUOTA_COLUMNS, name, prefix, createdAt, expiresAt, revokedAt, lastUsedAt };

type Columns = Pick<ApiKeyRow, 'tier' | 'prefix' | 'createdAt'> & { lastUsedAt: Millis | null };

/** A key with the values that filters and sortings read. */
interface ListedKey extends QuotaKey, Pick<ApiKeyRow, 'name' | 'expiresAt' | 'revokedAt'> {
  /** Set if the database sorts the list. */
  columns?: Columns;
  /** Set if the query needs it. Null while the counter store is down. */
  usage?: QuotaUsage | null;
  outlook?: Outlook | null;
}

const compareColumn = (of: (columns: Columns) => string | number) => (key: ListedKey) =>
  key.columns ? of(key.columns) : 0;

/** Lists API keys with their usage. The counters hold the usage, so filters and sortings on it run in this process. */
export const listApiKeys = implement(
  contract,
  list<Query, ListedKey, ApiKeyWithUsage>({
    async read(context, { where, orderBy, limit }, query) {
      const { drizzle } = context.services.database;
      const rows = await readUpTo(limit, (most) =>
        drizzle
          .select(columns)
          .from(apiKeys)
          .where(where)
          .orderBy(...orderBy)
          .limit(most),
      );
      const keys = rows.map((row) => ({ ...row, columns: row }));
      return addUsageAndOutlook(context, keys, query);
    },
    readCached: listCachedKeys,
    count: ({ services }, where) => services.database.drizzle.$count(apiKeys, where),
    complete,
    download: {
      name: 'api-keys',
      columns: [
        ...createColumns('id', 'name', 'prefix', 'tier', 'client_type', 'user_id'),
        ...createColumns('usage', 'limit', 'remaining', 'reset_at', 'runs_out_at', 'overage_allowed'),
        ...createColumns('expires_at', 'last_used_at', 'created_at', 'created_by', 'revoked_at', 'month_starts_on'),
      ],
    },
    sortings: {
      created_at: { sql: sql`${createdAt}`, of: compareColumn((key) => key.createdAt) },
      name: { of: (key) => buildNaturalKey(key.name) },
      prefix: { sql: sql`${prefix}`, of: compareColumn((key) => key.prefix) },
      last_used_at: { sql: sql`coalesce(${lastUsedAt}, 0)`, of: compareColumn((key) => key.lastUsedAt ?? 0) },
      expires_at: { sql: sql`coalesce(${expiresAt}, ${NEVER})`, of: (key) => key.expiresAt ?? NEVER },
      tier: { sql: sql`instr(${TIERS}, ${tier})`, of: (key) => TIERS.indexOf(key.tier) + 1 },
      usage: { of: ({ usage }) => (usage ? (computeQuotaShare(usage) ?? -1) : -1) },
      remaining: { of: ({ usage }) => usage?.remaining ?? -1 },
      runs_out_at: { of: ({ outlook }) => outlook?.rank ?? NEVER },
    },
    id: { sql: sql`${id}`, of: (key) => key.id },
    order: '-created_at',
    where: ({ q, tier: tiers, status, never_used: neverUsed, expires_within: days }, now) =>
      and(
        status === 'all' ? undefined : status === 'revoked' ? isNotNull(revokedAt) : isNull(revokedAt),
        matchStatus(expiresAt, status, now),
        matchValues(tier, tiers),
        neverUsed && isNull(lastUsedAt),
        days === undefined ? undefined : and(gt(expiresAt, now), lte(expiresAt, now + days * DAY)),
        q === undefined
          ? undefined
          : or(matchText(q, name, apiKeys.userId), sql`instr(${prefix}, ${q}) = 1`, sql`instr(${id}, lower(${q})) = 1`),
      ),
    keep({ state, runs_out: runsOut }, now) {
      if (state === undefined && runsOut === undefined) return undefined;
      return (key) =>
        (state === undefined || state.some((wanted) => wanted === computeKeyState(key, now))) &&
        (runsOut === undefined || key.outlook?.runsOut === true);
    },
  }),
);

const USAGE_SORTINGS = ['usage', 'remaining', 'runs_out_at'];

function determineNeeds({ state, runs_out: runsOut, sort, format }: Query) {
  const sorting = format === undefined || format === 'json' ? sort.replace('-', '') : '';
  return {
    usage: state !== undefined || runsOut !== undefined || USAGE_SORTINGS.includes(sorting),
    outlook: runsOut !== undefined || sorting === 'runs_out_at',
  };
}

function computeKeyState(key: ListedKey, now: Millis) {
  if (key.revokedAt !== null) return 'revoked';
  return isEnded(key, now) ? 'expired' : deriveQuotaState(key.usage ?? null);
}

/** Lists keys from the cached rules. Null if the query needs fields or keys that they lack. */
async function listCachedKeys(context: Context, query: Query): Promise<ListedKey[] | null> {
  const { q, status, tier: tiers, never_used: neverUsed, expires_within: days } = query;
  if (q !== undefined || neverUsed !== undefined || (status !== 'registered' && status !== 'active')) return null;
  const { keysById } = await context.services.rules.readFresh();
  const until = days === undefined ? null : context.now + days * DAY;
  const keys: ListedKey[] = [];
  for (const { id, name, tier, monthStartsOn, monthShift, expiresAt } of keysById.values()) {
    const key = { id: id as ApiKeyId, name, tier, monthStartsOn, monthShift, expiresAt, revokedAt: null };
    const ended = isEnded(key, context.now);
    if (ended && (status === 'active' || until !== null)) continue;
    if (until !== null && (expiresAt === null || expiresAt > until)) continue;
    if (tiers === undefined || tiers.includes(tier)) keys.push(key);
  }
  return addUsageAndOutlook(context, keys, query);
}

async function addUsageAndOutlook({ services, now }: Context, keys: ListedKey[], query: Query): Promise<ListedKey[]> {
  const needed = determineNeeds(query);
  if (!needed.usage) return keys;
  const usages = await readQuotaUsagesOrNull(services, keys, now);
  for (const [index, key] of keys.entries()) key.usage = usages?.[index] ?? null;
  if (!needed.outlook) return keys;
  const live = keys.flatMap((key) => (key.usage && !isEnded(key, now) ? [{ key, usage: key.usage }] : []));
  const outlooks = await computeOutlooks(services, live, now);
  for (const [index, { key }] of live.entries()) key.outlook = outlooks[index] ?? null;
  return keys;
}

async function complete({ services, now }: Context, listed: readonly ListedKey[]): Promise<ApiKeyWithUsage[]> {
  const ids = listed.map((key) => key.id);
  const rows = services.database.drizzle.select({ key: apiKeys, lastUsedAt }).from(apiKeys);
  const byId = new Map((await rows.where(inArray(id, ids))).map((row) => [row.key.id, row]));
  return addUsage(
    services,
    listed.flatMap((key) => byId.get(key.id) ?? []),
    now,
  );
}
