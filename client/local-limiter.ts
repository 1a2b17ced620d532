import type { Check, Limit } from '@/client/api';
import { answerUnlimited, type CheckAnswer, isByLimitsOnly, readClass } from '@/client/check-answer';
import type { ClientPolicies } from '@/client/policies';
import { formatAddressSubject } from '@/lib/limiter/address';
import {
  addToSliding,
  countSliding,
  EMPTY_SLIDING,
  findEmptyTime,
  findFreeTime,
  type SlidingCounter,
  settleSliding,
} from '@/lib/limiter/sliding-counter';
import { computeSlot } from '@/lib/limiter/window';
import { readAddress } from '@/lib/limiter/written-address';

const REFUSALS = {
  ip: ['rate_limit_exceeded', 'Too many requests from this address.'],
  client: ['client_rate_limit_exceeded', 'Too many requests from this client.'],
  user: ['user_rate_limit_exceeded', 'Too many requests from this user.'],
} as const;
type Counted = keyof typeof REFUSALS;

/** Subject and limit that a check is counted by. */
interface Meter {
  subject: Counted | 'limit';
  key: string;
  limit: number;
  seconds: number;
  cost: number;
  /** Name of the named limit. */
  name?: string;
}

/** A meter with its count. */
interface OpenMeter extends Meter {
  slot: number;
  counter: SlidingCounter;
  used: number;
}

/** Maximum number of counted subjects. The least recently counted one is evicted first. */
const MAX_COUNTERS = 20_000;

/**
 * Decides within this process, at half the limit, as the server does while its store is down. It uses the same windows,
 * all or nothing. Quotas, months, overrides, the allowlist, and the numbers of keys and tiers are ignored, because only
 * the server has them. A place in flight is free when its lease ends.
 */
export class LocalLimiter {
  readonly #counters = new Map<string, SlidingCounter>();

  constructor(
    private readonly policies: ClientPolicies,
    private readonly maximum = MAX_COUNTERS,
  ) {}

  /** @param now in milliseconds since 1970 */
  decide(check: Check, now: number): CheckAnswer {
    const open = this.#listMeters(check).map((meter) => {
      const slot = computeSlot(now, meter.seconds);
      const stored = this.#counters.get(meter.key) ?? EMPTY_SLIDING;
      // Hits of a clock that was ahead are moved to now, even if the check is refused.
      const counter = settleSliding(stored, slot);
      if (counter !== stored) this.#storeCounter(meter.key, counter);
      return { ...meter, slot, counter, used: countSliding(counter, slot) };
    });
    const refusing = open.filter(({ used, limit, cost }) => used + cost > limit);
    const [first] = refusing;
    if (first === undefined) {
      for (const meter of open) {
        meter.counter = addToSliding(meter.counter, meter.slot, meter.cost);
        meter.used += meter.cost;
        this.#storeCounter(meter.key, meter.counter);
      }
      return buildAnswer(check, open, now);
    }
    const [error, error_description] =
      first.subject === 'limit'
        ? (['rate_limit_exceeded', `The limit ${first.name} is reached.`] as const)
        : REFUSALS[first.subject];
    const refused: CheckAnswer = { ...buildAnswer(check, refusing, now), allowed: false, error };
    if (first.name !== undefined) refused.limit_name = first.name;
    const unpayable = refusing.find(({ limit, cost }) => limit > 0 && cost > limit);
    if (unpayable !== undefined) {
      const description = `The request costs ${unpayable.cost}, the limit is ${unpayable.limit}.`;
      return { ...refused, error_description: description };
    }
    const waits = refusing.map(({ counter, slot, seconds, limit, used, cost }) => {
      if (cost > limit) return seconds;
      return Math.ceil(((findFreeTime(counter, slot, seconds, used + cost - limit) ?? now) - now) / 1000);
    });
    return { ...refused, error_description, retry_after: Math.max(1, ...waits) };
  }

  #storeCounter(key: string, counter: SlidingCounter): void {
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size <= this.maximum) return;
    const [oldest] = this.#counters.keys();
    if (oldest !== undefined) this.#counters.delete(oldest);
  }

  #listMeters(check: Check): Meter[] {
    return [...(isByLimitsOnly(check) ? [] : this.#listClassMeters(check)), ...this.#listLimitMeters(check)];
  }

  #listClassMeters(check: Check): Meter[] {
    const name = readClass(check);
    const cost = readCost(check);
    const { classes, clients } = this.policies;
    const { ip, user } = classes[name];
    const { client_type, api_key, client_id, user_id } = check;
    // Only the server has the type of a key. Most are confidential.
    const client = clients[client_type ?? (client_id === undefined ? 'confidential' : 'public')];
    const buildMeters = (subject: Counted, limit: Limit, id: string | undefined, key: string): Meter[] => {
      if (id === undefined) return [];
      const { window_seconds: seconds } = limit;
      // The key includes the window's length, so that changed policies start new counters.
      return [{ subject, key: `${key} ${seconds} ${id}`, limit: halveLimit(limit), seconds, cost }];
    };
    return [
      ...buildMeters('ip', ip, check.ip === undefined ? undefined : normalizeAddress(String(check.ip)), `ip ${name}`),
      ...buildMeters('client', client, api_key ?? client_id, api_key === undefined ? 'client' : 'key'),
      ...buildMeters('user', user, user_id, `user ${name}`),
    ];
  }

  /** Returns the sliding windows and the places of the cached named limits. */
  #listLimitMeters({ limits = [], api_key: apiKey }: Check): Meter[] {
    return limits.flatMap(({ name, subject = apiKey, cost = 1 }) => {
      const { windows, in_flight: places } = this.policies.limits.get(name) ?? { windows: [], in_flight: null };
      const meter = (kind: string, limit: number, seconds: number, units: number): Meter => {
        const key = `${kind} ${name} ${seconds} ${subject}`;
        return { subject: 'limit', key, limit: halveLimit({ limit }), seconds, cost: units, name };
      };
      return [
        ...windows.flatMap(({ limit, seconds }) =>
          seconds === 'month' ? [] : [meter('limit', limit, seconds, readCost({ cost }))],
        ),
        ...(places === null ? [] : [meter('place', places.limit, places.lease_seconds, 1)]),
      ];
    });
  }
}

function countLeft({ limit, used }: OpenMeter): number {
  return Math.max(0, limit - used);
}

function findTightest(meters: readonly OpenMeter[]): OpenMeter | undefined {
  return meters.toSorted((a, b) => countLeft(a) - countLeft(b))[0];
}

function readState(meter: OpenMeter, now: number): { limit: number; remaining: number; reset: number } {
  const { limit, counter, slot, seconds } = meter;
  const reset = Math.ceil((findEmptyTime(counter, slot, seconds) ?? now) / 1000);
  return { limit, remaining: countLeft(meter), reset };
}

/** Builds the answer from the tightest of these limits. */
function buildAnswer(check: Check, meters: readonly OpenMeter[], now: number): CheckAnswer {
  const answer = answerUnlimited(check, { allowed: true, status: 'unreachable' });
  const tightest = findTightest(meters);
  if (tightest === undefined) return answer;
  const states = (check.limits ?? []).flatMap(({ name }) => {
    const own = findTightest(meters.filter((meter) => meter.name === name));
    return own === undefined ? [] : [{ name, ...readState(own, now), window_seconds: own.seconds }];
  });
  return { ...answer, ...readState(tightest, now), ...(states.length === 0 ? {} : { limits: states }) };
}

/** The server rejects any other cost. */
function readCost({ cost = 1 }: Pick<Check, 'cost'>): number {
  return Number.isSafeInteger(cost) && cost > 0 ? cost : 1;
}

function halveLimit({ limit }: Pick<Limit, 'limit'>): number {
  return limit === 0 ? 0 : Math.max(1, Math.floor(limit / 2));
}

/** Returns the counted form of an address: an IPv4 address itself, the /64 of an IPv6 address. */
export function normalizeAddress(text: string): string {
  const address = readAddress(text);
  return address === null ? text : formatAddressSubject(address);
}
