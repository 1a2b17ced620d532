import type { Meter } from '@/lib/limiter/meter';

/** Source of a limit's number. */
export interface Origin {
  /**
   * `policy`: the class. `client`: the type of the client. `tier`: the tier of the API key. `key`: the API key.
   * `limit`: a named limit. `override`: an override of the subject.
   */
  readonly kind: 'policy' | 'client' | 'tier' | 'key' | 'limit' | 'override';
  /** Id of the override or the API key, or name of the client type, the tier or the limit. Null for a policy. */
  readonly id: string | null;
  /** The shared limit that the number belongs to or replaces: `classes.read.ip`, `clients.public`, `limits.sms`. */
  readonly place: string;
  /** True for an override of more than one address, or more than one /64 of IPv6. */
  readonly isRange?: boolean;
}

/** Limit and subject of a named limit's meter. */
export interface NamedMeter {
  /** Name of the limit. */
  readonly name: string;
  readonly subject: string;
  /** True if it counts places in flight. */
  readonly isPlace: boolean;
}

/** One limit of a request: the meter that the store counts, and its source. */
export interface PlannedMeter extends Meter {
  /** The address, user, client, key or subject. The address is that of the request, although a /64 is counted. */
  identifier: string;
  origin: Origin;
  /** Set if it belongs to a named limit. */
  named?: NamedMeter;
}

/** All limits of a request, and its cost. */
export interface PlannedAttempt {
  readonly meters: readonly PlannedMeter[];
  readonly cost: number;
}

/** Returns whether all subjects share a number. Only shared numbers have candidates. */
export function isShared({ kind }: Origin): boolean {
  return kind === 'policy' || kind === 'client' || kind === 'limit';
}
