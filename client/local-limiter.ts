import type { Check, Limit } from '@/client/api';
import { answerUnlimited, type CheckAnswer, readClass } from '@/client/check-answer';
import type { ClientPolicies } from '@/client/policies';
import { toSubject } from '@/lib/limiter/address';
import {
  addToSliding,
  countSliding,
  EMPTY_SLIDING,
  findEmptyTime,
  findFreeTime,
  type SlidingCounter,
  settleSliding,
} from '@/lib/limiter/sliding-counter';
import { slotAt } from '@/lib/limiter/window';
import { readAddress } from '@/lib/limiter/written-address';

const REFUSALS = {
  ip: ['rate_limit_exceeded', 'Too many requests from this address.'],
  client: ['client_rate_limit_exceeded', 'Too many requests from this client.'],
  user: ['user_rate_limit_exceeded', 'Too many requests from this user.'],
} as const;
type Counted = keyof typeof REFUSALS;

/** Subject and limit that a check is counted by. */
interface Meter {
  subject: Counted;
  key: string;
  limit: number;
  seconds: number;
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
 * all or nothing. Quotas, overrides and the allowlist are ignored, because only the server has them.
 */
export class LocalLimiter {
  readonly #counters = new Map<string, SlidingCounter>();

  constructor(
    private readonly policies: ClientPolicies,
    private readonly maximum = MAX_COUNTERS,
  ) {}

  /** @param now in milliseconds since 1970 */
  decide(check: Check, now: number): CheckAnswer {
    const cost = readCost(check);
    const open = this.#metersOf(check).map((meter) => {
      const slot = slotAt(now, meter.seconds);
      const stored = this.#counters.get(meter.key) ?? EMPTY_SLIDING;
      // Hits of a clock that was ahead are moved to now, even if the check is refused.
      const counter = settleSliding(stored, slot);
      if (counter !== stored) this.#keep(meter.key, counter);
      return { ...meter, slot, counter, used: countSliding(counter, slot) };
    });
    const refusing = open.filter(({ used, limit }) => used + cost > limit);
    const [first] = refusing;
    if (first === undefined) {
      for (const meter of open) {
        meter.counter = addToSliding(meter.counter, meter.slot, cost);
        meter.used += cost;
        this.#keep(meter.key, meter.counter);
      }
      return buildAnswer(check, open, now);
    }
    const [error, error_description] = REFUSALS[first.subject];
    const refused = { ...buildAnswer(check, refusing, now), allowed: false, error };
    const unpayable = refusing.find(({ limit }) => limit > 0 && cost > limit);
    if (unpayable !== undefined) {
      const description = `The request costs ${cost}, the limit is ${unpayable.limit}.`;
      return { ...refused, error_description: description };
    }
    const waits = refusing.map(({ counter, slot, seconds, limit, used }) => {
      if (cost > limit) return seconds;
      return Math.ceil(((findFreeTime(counter, slot, seconds, used + cost - limit) ?? now) - now) / 1000);
    });
    return { ...refused, error_description, retry_after: Math.max(1, ...waits) };
  }

  #keep(key: string, counter: SlidingCounter): void {
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size <= this.maximum) return;
    const [oldest] = this.#counters.keys();
    if (oldest !== undefined) this.#counters.delete(oldest);
  }

  #metersOf(check: Check): Meter[] {
    const name = readClass(check);
    const { classes, clients } = this.policies;
    const { ip, user } = classes[name];
    const { client_type, api_key, client_id, user_id } = check;
    // Only the server has the type of a key. Most are confidential.
    const client = clients[client_type ?? (client_id === undefined ? 'confidential' : 'public')];
    const meter = (subject: Counted, limit: Limit, id: string | undefined, key: string): Meter[] => {
      if (id === undefined) return [];
      const { window_seconds: seconds } = limit;
      // The key includes the window's length, so that changed policies start new counters.
      return [{ subject, key: `${key} ${seconds} ${id}`, limit: halveLimit(limit), seconds }];
    };
    return [
      ...meter('ip', ip, check.ip === undefined ? undefined : normaliseAddress(String(check.ip)), `ip ${name}`),
      ...meter('client', client, api_key ?? client_id, api_key === undefined ? 'client' : 'key'),
      ...meter('user', user, user_id, `user ${name}`),
    ];
  }
}

/** Builds the answer from the tightest of these limits. */
function buildAnswer(check: Check, meters: readonly OpenMeter[], now: number): CheckAnswer {
  const answer = answerUnlimited(check, { allowed: true, status: 'unreachable' });
  const left = ({ limit, used }: OpenMeter) => Math.max(0, limit - used);
  const [tightest] = meters.toSorted((a, b) => left(a) - left(b));
  if (tightest === undefined) return answer;
  const { limit, counter, slot, seconds } = tightest;
  const reset = Math.ceil((findEmptyTime(counter, slot, seconds) ?? now) / 1000);
  return { ...answer, limit, remaining: left(tightest), reset };
}

/** The server rejects any other cost. */
function readCost({ cost = 1 }: Check): number {
  return Number.isSafeInteger(cost) && cost > 0 ? cost : 1;
}

function halveLimit({ limit }: Limit): number {
  return limit === 0 ? 0 : Math.max(1, Math.floor(limit / 2));
}

/** Returns the counted form of an address: an IPv4 address itself, the /64 of an IPv6 address. */
function normaliseAddress(text: string): string {
  const address = readAddress(text);
  return address === null ? text : toSubject(address);
}
