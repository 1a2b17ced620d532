import { eq, inArray } from 'drizzle-orm';
import { allowlist, apiKeys, overrides } from '@/drizzle/schema';
import { buildManagedMark } from '@/lib/admin/new-row';
import type { Bypass, LimitSource } from '@/lib/contract/fields/limit-source';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Database } from '@/lib/db/database';
import { listOverrideIds } from '@/lib/enforcement/decision';
import type { Plan } from '@/lib/enforcement/plan';
import type { PlannedMeter } from '@/lib/enforcement/planned-meter';
import type { SubjectKind } from '@/lib/limiter/meter';

type Sources = (plan: Plan, meter: PlannedMeter) => LimitSource;
type Kind = Exclude<PlannedMeter['origin']['kind'], 'override'>;

/** Describes where a number comes from. */
const DETAILS: Readonly<Record<Kind, (meter: PlannedMeter, plan: Plan) => string>> = {
  policy: ({ subject }, plan) => `Policy of class ${plan.class}, for each ${subject === 'ip' ? 'address' : subject}`,
  client: ({ origin }) => `Policy of ${origin.id} clients`,
  tier: (meter, { granted }) => {
    const more = meter.subject === 'quota' && granted > 0 ? `, and ${granted} granted` : '';
    return `${nameLimit(meter)} of the tier ${meter.origin.id}${more}`;
  },
  key: (meter) => `${nameLimit(meter)} of this API key only`,
  limit: (meter) => (meter.named?.isPlace ? `Places of the limit ${meter.origin.id}` : nameLimit(meter)),
};

function nameLimit({ subject, named }: PlannedMeter): string {
  if (named !== undefined) return `Limit ${named.name}`;
  return subject === 'quota' ? 'Quota' : 'Rate';
}

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
  const findSource: Sources = (plan, meter) => {
    const { kind, id } = meter.origin;
    if (kind === 'override') {
      const row = stored.get(id ?? '');
      return row === undefined ? { kind, detail: 'Override that has been removed' } : buildOverrideSource(row);
    }
    const detail = DETAILS[kind](meter, plan);
    return id === null ? { kind, detail } : { kind, id, detail, ...markIfManaged(plan) };
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

/** Reads the allowlist entry that exempts a request from rate limits. Null if there is none. */
export async function readStoredBypass({ drizzle }: Database, { bypass }: Plan): Promise<Bypass | null> {
  if (bypass === null) return null;
  const [row] = await drizzle.select().from(allowlist).where(eq(allowlist.id, bypass.entry.id));
  if (row === undefined) return null;
  const { id, type, identifier, reason, expiresAt } = row;
  return { id, type, identifier, reason, expires_at: formatTimestampOrNull(expiresAt), ...buildManagedMark(row) };
}
