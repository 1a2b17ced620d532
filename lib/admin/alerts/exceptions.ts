import { and, gt, isNull, lte, sql } from 'drizzle-orm';
import { allowlist, apiKeys, grants, overrides } from '@/drizzle/schema';
import type { NewAlert } from '@/lib/admin/alerts/events';
import { reconcile } from '@/lib/admin/alerts/reconcile';
import { SWITCHED_OFF } from '@/lib/admin/alerts/switched-off';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import { formatTimestamp } from '@/lib/contract/fields/instant';
import type { Database } from '@/lib/db/database';
import { formatNumber } from '@/lib/format-number';
import type { Services } from '@/lib/operation/services';
import { HOUR, type Millis } from '@/lib/units';

const EVENT = 'exception.ending';
const MOST_OF_A_KIND = 500;

interface Ending {
  kind: 'allowlist' | 'override' | 'grant';
  id: string;
  what: string;
  reason: string;
  until: Millis;
  createdAt: Millis;
  link: string;
}

/**
 * Alerts once on each allowlist entry, override and grant that ends within the configured hours.
 * Skips those created with a shorter life: their creator knows the end.
 */
export async function watchExceptions(services: Services): Promise<void> {
  const { settings, writer } = await createAlertWriter(services);
  const { enabled, hours } = settings.exception_ending;
  const { now } = writer;
  const ahead = hours * HOUR;
  const ending = enabled ? await listEndingExceptions(services.database, now, now + ahead) : [];
  await reconcile(writer, {
    event: EVENT,
    alerts: ending.filter(({ until, createdAt }) => until - createdAt > ahead).map(buildEndingAlert),
    why: ({ period }) => {
      if (!enabled) return SWITCHED_OFF;
      return Date.parse(period ?? '') <= now ? 'It has ended.' : 'It was removed, or its end was changed.';
    },
  });
}

function buildEndingAlert({ kind, id, what, reason, until, link }: Ending): NewAlert {
  const end = formatTimestamp(until);
  const at = `${end.slice(0, 10)} at ${end.slice(11, 16)} UTC`;
  return {
    event: EVENT,
    subject: `${kind}:${id}`,
    period: end,
    data: { summary: `${what} ends on ${at} (${reason}).`, link, kind, id, ends_at: end, reason },
  };
}

async function listEndingExceptions({ drizzle }: Database, now: Millis, until: Millis): Promise<Ending[]> {
  const matchEnding = (table: typeof allowlist | typeof overrides) =>
    and(isNull(table.removedAt), gt(table.expiresAt, now), lte(table.expiresAt, until));
  const allowed = await drizzle.select().from(allowlist).where(matchEnding(allowlist)).limit(MOST_OF_A_KIND);
  const overridden = await drizzle.select().from(overrides).where(matchEnding(overrides)).limit(MOST_OF_A_KIND);
  const granted = await drizzle
    .select({ grant: grants, name: apiKeys.name })
    .from(grants)
    .innerJoin(apiKeys, sql`${apiKeys.id} = ${grants.apiKeyId} and ${apiKeys.revokedAt} is null`)
    .where(and(isNull(grants.removedAt), gt(grants.until, now), lte(grants.until, until)))
    .limit(MOST_OF_A_KIND);
  return [
    ...allowed.map((row) => ({
      ...{ kind: 'allowlist' as const, id: row.id, reason: row.reason, createdAt: row.createdAt },
      ...{ until: row.expiresAt ?? 0, what: `The allowlist entry of ${row.identifier}` },
      link: `/allowlist?q=${encodeURIComponent(row.identifier)}`,
    })),
    ...overridden.map((row) => ({
      ...{ kind: 'override' as const, id: row.id, reason: row.reason, createdAt: row.createdAt },
      ...{ until: row.expiresAt ?? 0, what: `The override of ${row.identifier} in ${row.limitName || row.class}` },
      link: `/limits/overrides?q=${encodeURIComponent(row.identifier)}`,
    })),
    ...granted.map(({ grant, name }) => ({
      ...{ kind: 'grant' as const, id: grant.id, reason: grant.reason, createdAt: grant.createdAt },
      ...{ until: grant.until, what: `The grant of ${formatNumber(grant.requests)} requests to the key ${name}` },
      link: `/keys/${grant.apiKeyId}`,
    })),
  ];
}
