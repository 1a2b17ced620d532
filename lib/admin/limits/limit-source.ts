import { eq, inArray } from 'drizzle-orm';
import { allowlist, apiKeys, overrides } from '@/drizzle/schema';
import { buildManagedMark } from '@/lib/admin/new-row';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/instant';
import type { Bypass, LimitSource } from '@/lib/contract/fields/limit-source';
import type { Database } from '@/lib/db/database';
import { listOverrideIds } from '@/lib/enforcement/decision';
import type { Plan } from '@/lib/enforcement/plan';
import type { Meter, NamedMeter, SubjectKind } from '@/lib/limiter/meter';

const OF = { ip: 'address', user: 'user' } as const;

type Sources = (plan: Plan, meter: Pick<Meter, 'subject' | 'named'>) => LimitSource;

/** Creates a function that names the source of each limit. Reads the overrides and keys of the plans once. */
export async function createSourceFinder({ drizzle }: Database, plans: readonly Plan[]): Promise<Sources> {
  const ids = [...new Set(plans.flatMap(listOverrideIds))];
  const rows = ids.length === 0 ? [] : await drizzle.select().from(overrides).where(inArray(overrides.id, ids));
  const stored = new Map(rows.map((row) => [row.id, row]));
  const keyIds = [...new Set(plans.flatMap(({ key }) => key?.id ?? []))];
  const keys =
    keyIds.length === 0
      ? []
      : await drizzle
          .select({ id: apiKeys.id, managed: apiKeys.managed })
          .from(apiKeys)
          .where(inArray(apiKeys.id, keyIds));
  const addFactor = ({ incident }: Plan, subject: SubjectKind, source: LimitSource): LimitSource => {
    if (incident?.mode !== 'factor' || subject === 'quota') return source;
    const detail = `${source.detail}; times ${incident.factor} by the incident until ${formatTimestamp(incident.until)}`;
    return { ...source, factor: incident.factor, detail };
  };
  const markIfManaged = (plan: Plan) =>
    buildManagedMark({ managed: keys.some(({ id, managed }) => managed && id === plan.key?.id) });
  const findSource: Sources = (plan, { subject, named }) => {
    const overriding = stored.get(named?.overrideId ?? '');
    if (overriding !== undefined) return buildOverrideSource(overriding);
    if (subject === 'limit' || named !== undefined) return { ...buildNamedSource(plan, named), ...markIfManaged(plan) };
    if (subject === 'quota') {
      const tier = plan.key?.tier ?? 'free';
      const granted = plan.granted === 0 ? '' : `, and ${plan.granted} granted`;
      return { kind: 'tier', id: tier, detail: `Quota of the tier ${tier}${granted}`, ...markIfManaged(plan) };
    }
    if (subject === 'client' && plan.hasTierRate) {
      const tier = plan.key?.tier ?? 'free';
      return { kind: 'tier', id: tier, detail: `Rate of the tier ${tier}`, ...markIfManaged(plan) };
    }
    if (subject === 'client') {
      const type = plan.clientType ?? 'public';
      return { kind: 'client', id: type, detail: `Policy of ${type} clients`, ...markIfManaged(plan) };
    }
    const override = subject === 'ip' ? plan.addressOverride : plan.userOverride;
    const row = stored.get(override?.id ?? '');
    if (row === undefined) return { kind: 'policy', detail: `Policy of class ${plan.class}, for each ${OF[subject]}` };
    return buildOverrideSource(row);
  };
  return (plan, meter) => addFactor(plan, meter.subject, findSource(plan, meter));
}

/** Converts an override to the source of a limit. */
function buildOverrideSource(row: typeof overrides.$inferSelect): LimitSource {
  const { id, identifier, reason, expiresAt } = row;
  const detail = `Override of ${identifier}: ${reason}`;
  return {
    kind: 'override',
    id,
    identifier,
    reason,
    expires_at: formatTimestampOrNull(expiresAt),
    detail,
    ...buildManagedMark(row),
  };
}

/** Names the source of a named limit. */
function buildNamedSource({ key }: Plan, named: NamedMeter | undefined): LimitSource {
  const name = named?.name ?? '';
  if (named?.source === 'key') return { kind: 'key', id: key?.id ?? '', detail: `Limit ${name} of this API key alone` };
  if (named?.source === 'tier')
    return { kind: 'tier', id: key?.tier ?? 'free', detail: `Limit ${name} of the tier ${key?.tier ?? 'free'}` };
  return { kind: 'limit', id: name, detail: named?.isPlace ? `Places of the limit ${name}` : `Limit ${name}` };
}

/** Reads the allowlist entry that exempts a request from rate limits. Null if there is none. */
export async function readStoredBypass({ drizzle }: Database, { bypass }: Plan): Promise<Bypass | null> {
  if (bypass === null) return null;
  const [row] = await drizzle.select().from(allowlist).where(eq(allowlist.id, bypass.entry.id));
  if (row === undefined) return null;
  const { id, type, identifier, reason, expiresAt } = row;
  return { id, type, identifier, reason, expires_at: formatTimestampOrNull(expiresAt), ...buildManagedMark(row) };
}
