import { parseAddress, subjectOf } from '@/lib/limiter/address';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { MINUTE } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** Length of the parts of a minute that demand is kept by, in milliseconds. */
export const PART = 10_000;
export const PARTS = MINUTE / PART;
/** Identifiers of each subject and class that are kept of a minute; the others are one number together. */
export const FOLLOWED = 64;

/** Identifiers that are counted one by one within a minute; those that come after them are counted together. */
const MOST_COUNTED = 2_048;
/** Rows that wait while the database is out of reach; then the oldest go. */
const MOST_WAITING = 20_000;

export type DemandSubject = 'ip' | 'user' | 'client';

/** A row of the `demand` table, in the order of its columns. */
export type DemandRow = [
  start: Millis,
  subject: DemandSubject,
  scope: EndpointClass | 'all',
  identifier: string,
  ...parts: number[],
];

class Group {
  readonly counted = new Map<string, number[]>();
  /** All those together for whom there was no room. */
  readonly others = noParts();

  constructor(
    readonly subject: DemandSubject,
    readonly scope: EndpointClass | 'all',
  ) {}

  add(identifier: string, part: number, cost: number): void {
    let parts = this.counted.get(identifier);
    if (parts === undefined) {
      if (this.counted.size < MOST_COUNTED) {
        parts = noParts();
        this.counted.set(identifier, parts);
      } else parts = this.others;
    }
    parts[part] = (parts[part] ?? 0) + cost;
  }
}

/**
 * What each identifier asked for, by ten seconds, admitted or not: what a dry-run replays. Adding is one look-up for
 * each subject of a request; memory is bounded whatever the traffic. A minute is handed out once it is over.
 */
export class Demand {
  #minute: Millis = 0;
  #groups = newGroups();
  #waiting: DemandRow[] = [];

  /** Bypasses are left out: no limit concerns them. */
  add(event: DecisionEvent): void {
    if (event.outcome === 'bypassed' || event.cost === 0) return;
    const minute = event.at - (event.at % MINUTE);
    if (minute > this.#minute) {
      this.#seal();
      this.#minute = minute;
    }
    const part = Math.floor((event.at - minute) / PART);
    if (event.ip !== null) this.#groups.ip[event.class].add(event.ip, part, event.cost);
    if (event.userId !== null) this.#groups.user[event.class].add(event.userId, part, event.cost);
    if (event.apiKeyId !== null) this.#groups.client.add(event.apiKeyId, part, event.cost);
  }

  /** Rows of minutes that are over by `now`, at most so many. */
  take(now: Millis, most: number): DemandRow[] {
    if (this.#minute + MINUTE <= now) this.#seal();
    return this.#waiting.splice(0, most);
  }

  #seal(): void {
    const { ip, user, client } = this.#groups;
    for (const group of [...Object.values(ip), ...Object.values(user), client]) {
      if (group.counted.size > 0) this.#waiting.push(...rowsOf(this.#minute, group));
    }
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, this.#waiting.length - MOST_WAITING);
    this.#groups = newGroups();
  }
}

function noParts(): number[] {
  return [0, 0, 0, 0, 0, 0];
}

function newGroups() {
  const byClass = (subject: DemandSubject) =>
    Object.fromEntries(ENDPOINT_CLASSES.map((name) => [name, new Group(subject, name)])) as Record<
      EndpointClass,
      Group
    >;
  return { ip: byClass('ip'), user: byClass('user'), client: new Group('client', 'all') };
}

function rowsOf(minute: Millis, { subject, scope, counted, others }: Group): DemandRow[] {
  const merged = subject === 'ip' ? bySubnet(counted) : counted;
  const sorted = [...merged].map(([identifier, parts]) => ({ identifier, parts, sum: sumOf(parts) }));
  sorted.sort((a, b) => b.sum - a.sum);
  for (const { parts } of sorted.slice(FOLLOWED)) addParts(others, parts);
  const rows = sorted
    .slice(0, FOLLOWED)
    .map(({ identifier, parts }): DemandRow => [minute, subject, scope, identifier, ...parts]);
  return sumOf(others) === 0 ? rows : [...rows, [minute, subject, scope, '', ...others]];
}

/** IPv6 addresses are limited by their /64. */
function bySubnet(counted: ReadonlyMap<string, number[]>): Map<string, number[]> {
  const merged = new Map<string, number[]>();
  for (const [text, parts] of counted) {
    const address = text.includes(':') ? parseAddress(text) : null;
    const name = address === null ? text : subjectOf(address);
    const known = merged.get(name);
    if (known === undefined) merged.set(name, parts);
    else addParts(known, parts);
  }
  return merged;
}

function addParts(to: number[], parts: readonly number[]): void {
  for (const [index, value] of parts.entries()) to[index] = (to[index] ?? 0) + value;
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, one) => sum + one, 0);
}
