import { and, asc, desc, eq, ne, sql } from 'drizzle-orm';
import { candidateCounts } from '@/drizzle/schema';
import { readKeyNames } from '@/lib/admin/keys/names';
import { readStoredLimits } from '@/lib/admin/named-limits/stored';
import { computeEffectivePolicies, readStoredPatch } from '@/lib/admin/policies/in-force';
import { type CandidateLimit, LISTED_IDENTIFIERS } from '@/lib/contract/candidates';
import { type StoredCandidate, splitPlace } from '@/lib/contract/fields/candidate';
import type { StoredNamedLimit } from '@/lib/contract/fields/named-limit';
import { buildStoredNumbers } from '@/lib/contract/fields/numbers';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Policies } from '@/lib/contract/policies';
import type { Database } from '@/lib/db/database';
import type { Services } from '@/lib/operation/services';

/** Limits that candidates shadow. */
export interface LiveLimits {
  policies: Policies;
  limits: readonly StoredNamedLimit[];
}

/** Reads the limits that candidates shadow. */
export async function readLiveLimits(services: Services): Promise<LiveLimits> {
  const policies = computeEffectivePolicies(services, await readStoredPatch(services));
  return { policies, limits: await readStoredLimits(services.database) };
}

/** Finds the live limit that a candidate shadows. Null if it is a named limit that was removed. */
export function findLiveLimit({ policies, limits }: LiveLimits, { place }: Pick<StoredCandidate, 'place'>) {
  const parts = splitPlace(place);
  if (parts.group === 'limits') {
    const named = limits.find(({ name }) => name === parts.limit);
    if (named === undefined) return null;
    const { windows, in_flight: inFlight } = named;
    return buildStoredNumbers({ ...(windows.length > 0 && { windows }), ...(inFlight && { in_flight: inFlight }) });
  }
  const { limit, window_seconds } =
    parts.group === 'classes' ? policies.classes[parts.class][parts.subject] : policies.clients[parts.client];
  return { limit, window_seconds };
}

export async function readCandidateCounts(database: Database, id: string) {
  const { drizzle } = database;
  const own = eq(candidateCounts.candidate, id);
  const ofIdentifiers = and(own, ne(candidateCounts.identifier, ''));
  const [sum] = await drizzle
    .select()
    .from(candidateCounts)
    .where(and(own, eq(candidateCounts.identifier, '')));
  const identifiers = await drizzle.$count(candidateCounts, ofIdentifiers);
  const most = [desc(sql`would_refuse + would_allow`), asc(candidateCounts.identifier)];
  const top = await drizzle
    .select()
    .from(candidateCounts)
    .where(ofIdentifiers)
    .orderBy(...most)
    .limit(LISTED_IDENTIFIERS);
  const [first] = await drizzle
    .select()
    .from(candidateCounts)
    .where(ofIdentifiers)
    .orderBy(candidateCounts.firstAt, ...most)
    .limit(1);
  const named = first === undefined ? top : [...top, first];
  const names = await readKeyNames(
    database,
    named.map(({ identifier }) => identifier),
  );
  return {
    requests: sum?.requests ?? 0,
    would_refuse: sum?.wouldRefuse ?? 0,
    would_allow: sum?.wouldAllow ?? 0,
    identifiers,
    first: first === undefined ? null : buildIdentifierCounts(first, names),
    top: top.map((row) => buildIdentifierCounts(row, names)),
  };
}

function buildIdentifierCounts(row: typeof candidateCounts.$inferSelect, names: ReadonlyMap<string, string>) {
  return {
    identifier: row.identifier,
    api_key_name: names.get(row.identifier) ?? null,
    would_refuse: row.wouldRefuse,
    would_allow: row.wouldAllow,
    first_at: formatTimestamp(row.firstAt),
    last_at: formatTimestamp(row.lastAt),
  };
}

/** Builds the answer for a candidate limit, with its counts. */
export async function buildCandidateLimit(
  database: Database,
  candidate: StoredCandidate,
  live: LiveLimits,
): Promise<CandidateLimit> {
  return { ...candidate, live: findLiveLimit(live, candidate), ...(await readCandidateCounts(database, candidate.id)) };
}
