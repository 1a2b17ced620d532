import { inArray } from 'drizzle-orm';
import { allowlist, overrides } from '@/drizzle/schema';
import type { Bypass, LimitSource } from '@/lib/contract/explain';
import type { ClientType, QuotaTier } from '@/lib/contract/fields/enumerations';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Database } from '@/lib/db/database';
import type { AllowRecord, OverrideRecord } from '@/lib/enforcement/rules';
import type { EndpointClass } from '@/lib/limiter/meter';

const OF = { ip: 'address', user: 'user' } as const;

/** A limit of the policy. */
export function policySource(endpointClass: EndpointClass, subject: 'ip' | 'user'): LimitSource {
  return { kind: 'policy', detail: `Policy of class ${endpointClass}, for each ${OF[subject]}` };
}

/** The limit that all clients of a type have. */
export function clientSource(type: ClientType): LimitSource {
  return { kind: 'client', id: type, detail: `Policy of ${type} clients` };
}

/** The limit of a tier. */
export function tierSource(tier: QuotaTier): LimitSource {
  return { kind: 'tier', id: tier, detail: `Quota of the tier ${tier}` };
}

/** The stored overrides by their ids, as sources of limits. */
export async function overrideSources(
  { drizzle }: Database,
  records: readonly (OverrideRecord | null)[],
): Promise<ReadonlyMap<string, LimitSource>> {
  const ids = records.flatMap((record) => record?.id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await drizzle.select().from(overrides).where(inArray(overrides.id, ids));
  return new Map(
    rows.map(({ id, identifier, reason, expiresAt }) => {
      const detail = `Override of ${identifier}: ${reason}`;
      return [
        id,
        { kind: 'override', id, identifier, reason, expires_at: toInstantOrNull(expiresAt), detail },
      ] as const;
    }),
  );
}

/** The stored entry because of which rate limits do not apply; null where there is none. */
export async function bypassBy({ drizzle }: Database, entry: AllowRecord | undefined): Promise<Bypass | null> {
  if (entry === undefined) return null;
  const [row] = await drizzle
    .select()
    .from(allowlist)
    .where(inArray(allowlist.id, [entry.id]));
  if (row === undefined) return null;
  const { id, type, identifier, reason, expiresAt } = row;
  return { id, type, identifier, reason, expires_at: toInstantOrNull(expiresAt) };
}
