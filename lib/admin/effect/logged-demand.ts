import { COUNT_FROM, WARM_UP } from '@/lib/admin/effect/last-hour';
import type { Limit } from '@/lib/contract/policies';
import type { OverrideRecord, Rules } from '@/lib/enforcement/rules';
import type { UserId } from '@/lib/ids';
import { formatAddressSubject, parseAddress, parseRange } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import { PART, type readDemand } from '@/lib/statistics/demand';
import { computeRefusalBounds } from '@/lib/statistics/refusal-bounds';
import { HOUR, type Millis } from '@/lib/units';

type Subject = 'ip' | 'user';
type Demand = Awaited<ReturnType<typeof readDemand>>['identifiers'];

/**
 * Requests in the log that limits would refuse. The log may hold only part of the traffic, so the count is a minimum.
 */
export interface LoggedRefusals {
  atLeast: number;
  /** Identifiers that are refused, the most refused first. */
  names: string[];
}

/** Collects logged requests of the last hour, and of the hour before, to replay them under limits. */
export class LoggedDemand {
  readonly #parts = new Map<
    string,
    { subject: Subject; class: EndpointClass; identifiers: Map<string, Float64Array> }
  >();

  /** @param to end of the hour */
  constructor(private readonly to: Millis) {}

  /** Adds a request. `cost` is its cost, or the difference if the request is counted already at another cost. */
  add(
    at: Millis,
    name: EndpointClass,
    { ip, userId }: { ip: string | null; userId: string | null },
    cost: number,
  ): void {
    const address = ip === null ? null : parseAddress(ip);
    if (address !== null) this.#count(at, 'ip', name, formatAddressSubject(address), cost);
    if (userId !== null) this.#count(at, 'user', name, userId, cost);
  }

  #count(at: Millis, subject: Subject, name: EndpointClass, identifier: string, cost: number): void {
    const from = this.to - HOUR - WARM_UP;
    const index = Math.floor((at - from) / PART);
    const length = (HOUR + WARM_UP) / PART;
    if (index < 0 || index >= length) return;
    const key = `${subject}|${name}`;
    const group = this.#parts.get(key) ?? { subject, class: name, identifiers: new Map() };
    this.#parts.set(key, group);
    const parts = group.identifiers.get(identifier) ?? new Float64Array(length);
    group.identifiers.set(identifier, parts);
    parts[index] = (parts[index] ?? 0) + cost;
  }

  /**
   * Computes how much more the limits would refuse with the added requests.
   * A request counts by address and by user, so the result is that of the subject that refuses more.
   * @param present demand that is counted already
   */
  async computeRefusals(
    rules: Rules,
    now: Millis,
    present: (subject: Subject, name: EndpointClass) => Promise<Demand>,
  ): Promise<LoggedRefusals> {
    const bySubject = new Map<Subject, Map<string, number>>();
    for (const { subject, class: name, identifiers } of this.#parts.values()) {
      const counted = await present(subject, name);
      const refused = bySubject.get(subject) ?? new Map<string, number>();
      bySubject.set(subject, refused);
      for (const [identifier, parts] of identifiers) {
        const { limit, window_seconds: window } = findCurrentLimit(rules, subject, name, identifier, now);
        const before = counted.get(identifier) ?? new Float64Array(parts.length);
        const all = parts.map((units, index) => Math.max(0, units + (before[index] ?? 0)));
        const more =
          computeRefusalBounds(all, limit, window, COUNT_FROM).atLeast -
          computeRefusalBounds(before, limit, window, COUNT_FROM).atLeast;
        if (more > 0) refused.set(identifier, (refused.get(identifier) ?? 0) + more);
      }
    }
    const answers = [...bySubject.values()].map((refused) => ({
      atLeast: [...refused.values()].reduce((sum, units) => sum + units, 0),
      names: [...refused].sort(([, a], [, b]) => b - a).map(([identifier]) => identifier),
    }));
    return answers.sort((a, b) => b.atLeast - a.atLeast).at(0) ?? { atLeast: 0, names: [] };
  }
}

/** Finds the limit of an identifier: its override, else the policies. */
function findCurrentLimit(rules: Rules, subject: Subject, name: EndpointClass, identifier: string, now: Millis): Limit {
  const address = subject === 'ip' ? parseRange(identifier)?.first : undefined;
  const override: OverrideRecord | undefined =
    subject === 'user'
      ? rules.findUserOverride(identifier as UserId, name, now)
      : address && rules.findAddressOverride(address, name, now);
  if (override === undefined) return rules.policies.classes[name][subject];
  return { limit: override.limit, window_seconds: override.windowSeconds };
}
