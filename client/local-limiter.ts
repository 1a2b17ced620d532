import type { Check, EndpointClass, Limit } from '@/client/api';
import { type CheckAnswer, classOf } from '@/client/check-answer';
import { type ChangedCounter, evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Meter } from '@/lib/limiter/meter';

/** Limits in the shape of `GET /v1/admin/policies`, of which only these are read. */
export interface LocalPolicies {
  classes: Readonly<Record<EndpointClass, { ip: Limit; user: Limit }>>;
  clients: Readonly<Record<'public' | 'confidential', Limit>>;
}

const limits = (limit: number, window_seconds = 60): Limit => ({ limit, window_seconds });

/** Those of a fresh installation. */
export const USUAL_POLICIES: LocalPolicies = {
  classes: {
    auth: { ip: limits(10), user: limits(50, 3600) },
    sensitive: { ip: limits(30), user: limits(100, 3600) },
    read: { ip: limits(100), user: limits(5000, 3600) },
    write: { ip: limits(50), user: limits(1000, 3600) },
    lab: { ip: limits(300), user: limits(5000, 3600) },
  },
  clients: { public: limits(30), confidential: limits(100) },
};

const REFUSALS = {
  ip: ['rate_limit_exceeded', 'Too many requests from this address.'],
  client: ['client_rate_limit_exceeded', 'Too many requests from this client.'],
  user: ['user_rate_limit_exceeded', 'Too many requests from this user.'],
} as const;
type Counted = keyof typeof REFUSALS;

/** Subjects that are counted at a time; the one that was counted longest ago goes first. */
const MAX_COUNTERS = 20_000;

/**
 * Decides by this process alone, at half the limit, as the server does while its store is down: the same windows, all or
 * nothing, without quotas, overrides and allowlist, which only the server knows.
 */
export class LocalLimiter {
  readonly #counters = new Map<string, ChangedCounter>();

  constructor(
    private readonly policies: LocalPolicies,
    private readonly maximum = MAX_COUNTERS,
  ) {}

  /** @param now in milliseconds since 1970 */
  decide(check: Check, now: number): CheckAnswer {
    const meters = this.#metersOf(check);
    const stored = new Map(
      meters.flatMap(({ key }) => {
        const existing = this.#counters.get(key);
        return existing === undefined ? [] : [[key, existing.counter] as const];
      }),
    );
    const { verdicts, changed } = evaluateGroup([{ meters, cost: costOf(check) }], now, stored);
    for (const [key, counter] of changed) this.#keep(key, counter);
    const readings = verdicts[0]?.readings ?? [];
    const refusing = readings.flatMap(({ retryAt }, i) => (retryAt === null ? [] : [i]));
    const shown = (refusing.length > 0 ? refusing : [...readings.keys()]).map((i) => readings[i]);
    const [tightest] = shown.toSorted((a, b) => (a?.remaining ?? 0) - (b?.remaining ?? 0));
    const answer: CheckAnswer = {
      allowed: refusing.length === 0,
      status: 'unreachable',
      class: classOf(check),
      limit: tightest?.limit ?? null,
      remaining: tightest?.remaining ?? null,
      reset: tightest === undefined ? null : Math.ceil(tightest.reset / 1000),
    };
    const [first] = refusing;
    const subject = first === undefined ? undefined : meters[first]?.subject;
    if (subject === undefined || subject === 'quota') return answer;
    const [error, error_description] = REFUSALS[subject];
    const waits = refusing.map((i) => {
      const retryAt = readings[i]?.retryAt ?? Number.POSITIVE_INFINITY;
      const window = meters[i]?.window;
      const most = window?.kind === 'sliding' ? window.seconds : 1;
      return retryAt < Number.POSITIVE_INFINITY ? Math.ceil((retryAt - now) / 1000) : most;
    });
    return { ...answer, error, error_description, retry_after: Math.max(1, ...waits) };
  }

  #keep(key: string, counter: ChangedCounter): void {
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size <= this.maximum) return;
    const [oldest] = this.#counters.keys();
    if (oldest !== undefined) this.#counters.delete(oldest);
  }

  #metersOf(check: Check): Meter[] {
    const name = classOf(check);
    const { classes, clients } = this.policies;
    const { ip, user } = classes[name];
    const { client_type, api_key, client_id, user_id } = check;
    // The type of a key is known to the server only; most are confidential.
    const client = clients[client_type ?? (client_id === undefined ? 'confidential' : 'public')];
    const meter = (subject: Counted, limit: Limit, id: string | undefined, key: string): Meter[] => {
      if (id === undefined) return [];
      const window = { kind: 'sliding', seconds: limit.window_seconds } as const;
      // The length of the window is part of the key: other policies begin other counters.
      return [{ subject, key: `${key} ${limit.window_seconds} ${id}`, limit: half(limit), window }];
    };
    return [
      ...meter('ip', ip, check.ip === undefined ? undefined : networkOf(String(check.ip)), `ip ${name}`),
      ...meter('client', client, api_key ?? client_id, api_key === undefined ? 'client' : 'key'),
      ...meter('user', user, user_id, `user ${name}`),
    ];
  }
}

/** The server would refuse to read another cost. */
function costOf({ cost = 1 }: Check): number {
  return Number.isSafeInteger(cost) && cost > 0 ? cost : 1;
}

function half({ limit }: Limit): number {
  return limit === 0 ? 0 : Math.max(1, Math.floor(limit / 2));
}

/** What an address is counted by: itself, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const end = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted end stands for two groups.
  const written = groups.length + end.length + (address.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - written)).fill('0');
  return [...groups, ...zeros, ...end]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
