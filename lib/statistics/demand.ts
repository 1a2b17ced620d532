import { and, eq, gte, lt } from 'drizzle-orm';
import { demand } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { formatAddressSubject, parseAddress } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { DecisionEvent, LimitUse } from '@/lib/statistics/decision-event';
import { takeTurn } from '@/lib/take-turn';
import { MINUTE, type Millis } from '@/lib/units';

/** Length of the parts of a minute by which demand is counted, in milliseconds. */
export const PART = 10_000;
export const PARTS = MINUTE / PART;
/** Index of the refused requests in the counts of a minute: after the parts. */
const REFUSED = PARTS;
/** Index of the largest used share of the limit, in percent. */
const PEAK = PARTS + 1;
/** Identifiers of each subject and class that are stored per minute. The rest is stored as one sum. */
export const FOLLOWED = 64;

/** Subjects of all named limits that are stored per minute, and the fewest of one limit. */
const FOLLOWED_OF_LIMITS = 2_048;
const LEAST_FOLLOWED = 4;

/** Identifiers that are counted one by one within a minute. Later ones are counted together. */
const MOST_COUNTED = 2_048;
/** Subjects of all named limits that are counted one by one within a minute. */
const MOST_COUNTED_OF_LIMITS = 16_384;
/** Most rows that wait while the database is down. The oldest are dropped. */
const MOST_WAITING = 20_000;

/** Kind of the identifier. `limit` means a subject of a named limit. */
export type DemandSubject = 'ip' | 'user' | 'client' | 'limit';
/** The limit that counts: an endpoint class, `all` for clients, or the name of a limit. */
export type DemandScope = EndpointClass | 'all' | (string & {});

/** A row of the `demand` table, in the order of its columns. */
export type DemandRow = [
  start: Millis,
  subject: DemandSubject,
  scope: DemandScope,
  identifier: string,
  /** Requests by part of the minute, the number of refused requests, and the largest used share in percent. */
  ...counts: number[],
];

/** A request, as demand counts it. `part` is the part of its minute. */
interface Demanded {
  part: number;
  cost: number;
  refused: boolean;
}

/** Requests of the identifiers of one subject and class within a minute. */
class Group {
  readonly counted = new Map<string, number[]>();
  /** Counts of all identifiers beyond `MOST_COUNTED`. */
  readonly others = createCounts();

  constructor(
    readonly subject: DemandSubject,
    readonly scope: DemandScope,
  ) {}

  /**
   * @param percent used share of the limit
   * @param isRoom whether another identifier may be counted one by one
   * @returns whether the identifier is new
   */
  add(identifier: string | null, { part, cost, refused }: Demanded, percent: number | null, isRoom = true): boolean {
    if (identifier === null) return false;
    const existing = this.counted.get(identifier);
    const isNew = existing === undefined && isRoom && this.counted.size < MOST_COUNTED;
    const counts = existing ?? (isNew ? createCounts() : this.others);
    if (isNew) this.counted.set(identifier, counts);
    counts[part] = (counts[part] ?? 0) + cost;
    if (refused) counts[REFUSED] = (counts[REFUSED] ?? 0) + cost;
    if (percent !== null && percent > (counts[PEAK] ?? 0)) counts[PEAK] = percent;
    return isNew;
  }
}

/**
 * Requests of each identifier by ten seconds, admitted or not. A dry-run replays them. Adding takes one look-up per
 * subject, and memory is bounded. Rows become available when their minute ends.
 */
export class Demand {
  #minute: Millis = 0;
  #groups = createAllGroups();
  /** Groups of named limits, by name. */
  #limits = new Map<string, Group>();
  #countedOfLimits = 0;
  #waiting: DemandRow[] = [];

  /** Counts a request. Bypasses are skipped, because no limit applies to them. */
  add(event: DecisionEvent): void {
    if (event.outcome === 'bypassed') return;
    const minute = event.at - (event.at % MINUTE);
    if (minute > this.#minute) {
      this.#seal();
      this.#minute = minute;
    }
    const part = Math.floor((event.at - minute) / PART);
    const refused = event.outcome === 'refused';
    const { class: name, cost, usedShares: shares } = event;
    if (name !== null && cost > 0) {
      const demanded = { part, cost, refused };
      this.#groups.ip[name].add(event.ip, demanded, shares.ip);
      this.#groups.user[name].add(event.userId, demanded, shares.user);
      this.#groups.client.add(event.apiKeyId, demanded, shares.client);
    }
    for (const use of event.limitUses) if (use.units > 0) this.#addUse(use, { part, cost: use.units, refused });
  }

  #addUse({ name, subject, percent }: LimitUse, demanded: Demanded): void {
    const group = this.#limits.get(name) ?? new Group('limit', name);
    this.#limits.set(name, group);
    const isRoom = this.#countedOfLimits < MOST_COUNTED_OF_LIMITS;
    if (group.add(subject, demanded, percent, isRoom)) this.#countedOfLimits += 1;
  }

  /** Removes and returns the rows of minutes that ended by `now`. */
  take(now: Millis, most: number): DemandRow[] {
    if (this.#minute + MINUTE <= now) this.#seal();
    return this.#waiting.splice(0, most);
  }

  #seal(): void {
    const { ip, user, client } = this.#groups;
    const share = Math.floor(FOLLOWED_OF_LIMITS / Math.max(1, this.#limits.size));
    const followed = Math.min(FOLLOWED, Math.max(LEAST_FOLLOWED, share));
    // The rows of named limits are dropped first, because an installation can have many.
    for (const group of this.#limits.values()) this.#waiting.push(...listRows(this.#minute, group, followed));
    for (const group of [...Object.values(ip), ...Object.values(user), client]) {
      if (group.counted.size > 0) this.#waiting.push(...listRows(this.#minute, group, FOLLOWED));
    }
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, this.#waiting.length - MOST_WAITING);
    this.#groups = createAllGroups();
    this.#limits = new Map();
    this.#countedOfLimits = 0;
  }
}

function createCounts(): number[] {
  return [0, 0, 0, 0, 0, 0, 0, 0];
}

function createAllGroups() {
  const createClassGroups = (subject: DemandSubject) => ({
    auth: new Group(subject, 'auth'),
    sensitive: new Group(subject, 'sensitive'),
    read: new Group(subject, 'read'),
    write: new Group(subject, 'write'),
    lab: new Group(subject, 'lab'),
  });
  return { ip: createClassGroups('ip'), user: createClassGroups('user'), client: new Group('client', 'all') };
}

/** @param most identifiers that are stored one by one */
function listRows(minute: Millis, { subject, scope, counted, others }: Group, most: number): DemandRow[] {
  const merged = subject === 'ip' ? mergeSubnets(counted) : counted;
  const sorted = [...merged].map(([identifier, counts]) => ({ identifier, counts, sum: sumCounts(counts) }));
  sorted.sort((a, b) => b.sum - a.sum);
  for (const { counts } of sorted.slice(most)) addCounts(others, counts);
  const followed = sorted.slice(0, most);
  if (sumCounts(others) > 0) followed.push({ identifier: '', counts: others, sum: 0 });
  return followed.map(({ identifier, counts }) => [minute, subject, scope, identifier, ...counts]);
}

/** Adds up the addresses of each /64, because limits apply to IPv6 addresses by their /64. */
function mergeSubnets(counted: ReadonlyMap<string, number[]>): Map<string, number[]> {
  const merged = new Map<string, number[]>();
  for (const [text, counts] of counted) {
    const address = text.includes(':') ? parseAddress(text) : null;
    const name = address === null ? text : formatAddressSubject(address);
    const existing = merged.get(name);
    if (existing === undefined) merged.set(name, counts);
    else addCounts(existing, counts);
  }
  return merged;
}

function addCounts(to: number[], counts: readonly number[]): void {
  for (const [index, value] of counts.entries()) {
    const sum = to[index] ?? 0;
    to[index] = index === PEAK ? Math.max(sum, value) : sum + value;
  }
}

/** Adds up the requests of the whole minute. */
function sumCounts(counts: readonly number[]): number {
  return counts.slice(0, PARTS).reduce((sum, count) => sum + count, 0);
}

/** Milliseconds of demand that are read in one turn of the event loop. */
const AT_ONCE = 20 * MINUTE;

/**
 * Reads demand from `from` to before `to`. Both times lie on a minute. The query reads at most `FOLLOWED` + 1 rows per
 * minute.
 * @returns requests by ten seconds, oldest first; `others` is the sum of all identifiers that were not counted one by
 * one
 */
export async function readDemand(
  database: Database,
  subject: DemandSubject,
  scope: DemandScope,
  from: Millis,
  to: Millis,
) {
  const length = ((to - from) / MINUTE) * PARTS;
  const identifiers = new Map<string, Float64Array>();
  const others = new Float64Array(length);
  const add = ({ start, identifier, p0, p1, p2, p3, p4, p5 }: typeof demand.$inferSelect) => {
    let parts = identifier === '' ? others : identifiers.get(identifier);
    if (parts === undefined) {
      parts = new Float64Array(length);
      identifiers.set(identifier, parts);
    }
    parts.set([p0, p1, p2, p3, p4, p5], (start - from) / PART);
  };
  for (let begin = from; begin < to; begin += AT_ONCE) {
    const within = and(gte(demand.start, begin), lt(demand.start, Math.min(to, begin + AT_ONCE)));
    const ofSubject = and(within, eq(demand.subject, subject), eq(demand.class, scope));
    for (const row of await database.drizzle.select().from(demand).where(ofSubject)) add(row);
    await takeTurn();
  }
  return { identifiers, others };
}
