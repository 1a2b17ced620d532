import { and, eq, gte, sql, sum } from 'drizzle-orm';
import { keyOrigins } from '@/drizzle/schema';
import { requireAnyKey } from '@/lib/admin/keys/row';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { readLimitUse as contract, type LimitInUse } from '@/lib/contract/limit-use';
import { isReadable } from '@/lib/db/readable-rows';
import { findClientLimit } from '@/lib/enforcement/class-limits';
import type { Rules } from '@/lib/enforcement/rules';
import type { ApiKeyId } from '@/lib/ids';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';
import { addNearest, type LimitHour, readLimitHours } from '@/lib/statistics/limit-hour';
import { findStart } from '@/lib/statistics/step';
import { DAY, HOUR, MINUTE } from '@/lib/units';

/** Reads how much of each limit was used in the last hour, and who came nearest to it. */
export const readLimitUse = implement(contract, async (context, { query }) => {
  const { services, now } = context;
  const key = query.api_key === undefined ? null : await requireAnyKey(services.database, query.api_key);
  const rules = await services.rules.readFresh();
  const to = findStart(now, MINUTE);
  const span = { from: to - HOUR, to };
  const hours = await readLimitHours(services.database, span, key?.id ?? null);
  const day = key === null ? null : await readDay(context, key.id);
  const places = new Map<string, LimitHour>();
  for (const hour of hours) {
    const place = findPlace(rules, hour);
    if (place === null || (key !== null && hour.subject !== 'client' && hour.subject !== 'limit')) continue;
    places.set(place, joinHours(places.get(place), hour));
  }
  const findKeyName = (id: string) => rules.keysById.get(id)?.name ?? null;
  const limits = [...places].map(
    ([place, { subject, scope, units, refused, points, peak, nearest }]): LimitInUse => ({
      ...{ place, units, refused_units: refused, points, peak_percent: peak },
      nearest: nearest.map(({ identifier, peak: peak_percent }) => ({
        ...{ identifier, peak_percent },
        api_key_name: subject === 'client' || subject === 'limit' ? findKeyName(identifier) : null,
      })),
      last_day: day?.get(subject === 'limit' ? scope : '') ?? null,
    }),
  );
  limits.sort((a, b) => comparePlaces(a.place, b.place));
  return { from: formatTimestamp(span.from), to: formatTimestamp(to), limits };
});

/** Returns the place of a limit. Null if the limit was removed, or the client is unknown. */
function findPlace({ limits, keysById, policies }: Rules, { subject, scope, client }: LimitHour): string | null {
  if (subject === 'limit') return limits.has(scope) ? `limits.${scope}` : null;
  if (subject !== 'client') return isClass(scope) ? `classes.${scope}.${subject}` : null;
  const key = keysById.get(client);
  return key === undefined ? null : findClientLimit(policies, key.clientType, key).origin.place;
}

const isClass = (name: string) => ENDPOINT_CLASSES.some((each) => each === name);

/** Joins the hours of the clients that share a limit. */
function joinHours(sum: LimitHour | undefined, hour: LimitHour): LimitHour {
  if (hour.subject !== 'client') return hour;
  const joined = sum ?? { ...hour, units: 0, refused: 0, peak: null, nearest: [], points: hour.points.map(() => 0) };
  joined.units += hour.units;
  joined.refused += hour.refused;
  joined.points = joined.points.map((units, index) => units + (hour.points[index] ?? 0));
  if (hour.peak !== null) {
    joined.peak = Math.max(joined.peak ?? 0, hour.peak);
    addNearest(joined.nearest, { identifier: hour.client, peak: hour.peak });
  }
  return joined;
}

const GROUPS = ['classes', 'clients', 'tier_rates', 'limits'];

function comparePlaces(a: string, b: string): number {
  const [groupOfA, groupOfB] = [a, b].map((place) => GROUPS.indexOf(place.split('.')[0] ?? ''));
  return (groupOfA ?? 0) - (groupOfB ?? 0) || (a < b ? -1 : 1);
}

/** Reads what a key used in the last day: requests at the empty name, and the units of each named limit at its name. */
async function readDay({ services, now }: Context, id: ApiKeyId) {
  const { apiKeyId, hour, kind, origin, allowed, refused } = keyOrigins;
  const name = sql<string>`case ${kind} when 'limit' then ${origin} else '' end`;
  const from = findStart(now - DAY, HOUR) + HOUR;
  const rows = await services.database.drizzle
    .select({
      name,
      allowed: sql<number>`coalesce(${sum(allowed)}, 0)`,
      refused: sql<number>`coalesce(${sum(refused)}, 0)`,
    })
    .from(keyOrigins)
    .where(
      and(
        ...[eq(apiKeyId, id), gte(hour, from), sql`${kind} in ('ip', 'limit')`],
        sql`(${kind} = 'ip' or ${origin} <> '')`,
        isReadable(origin, hour, allowed, refused),
      ),
    )
    .groupBy(name);
  return new Map(rows.map(({ name: of, ...counts }) => [of, counts]));
}
