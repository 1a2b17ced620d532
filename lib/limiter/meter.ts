import type { MonthAnchor } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

export const ENDPOINT_CLASSES = ['auth', 'sensitive', 'read', 'write', 'lab'] as const;
export type EndpointClass = (typeof ENDPOINT_CLASSES)[number];

/** Subjects in the order in which refusals are reported. */
export const SUBJECT_ORDER = ['ip', 'client', 'user', 'limit', 'quota'] as const;
/** The subject a meter counts against. `limit` is the subject of a named limit. */
export type SubjectKind = (typeof SUBJECT_ORDER)[number];

/** Tells whether the identifiers of a subject can be API keys. */
export function isOfApiKeys(subject: string | null): boolean {
  return subject === 'client' || subject === 'quota';
}

/** Separates the quota of an API key, which a plan always puts last, from the other meters. */
export function splitQuota<Metered extends { readonly subject: SubjectKind }>(
  meters: readonly Metered[],
): { quota: Metered | null; limits: readonly Metered[] } {
  const last = meters[meters.length - 1];
  return last?.subject === 'quota' ? { quota: last, limits: meters.slice(0, -1) } : { quota: null, limits: meters };
}

/** A sliding window of 60 slots, or a month (UTC) of one slot. The month is the calendar's unless it has an anchor. */
export type Window = { kind: 'sliding'; seconds: Seconds } | MonthWindow;
export type MonthWindow = { readonly kind: 'month'; readonly anchor?: MonthAnchor };

/** One limit that a request must fit under. The engine builds meters from the rules, and the store counts them. */
export interface Meter {
  subject: SubjectKind;
  /**
   * Key of the counter in the store: at most 128 bytes of ASCII, nothing that JSON would escape. See `buildCounterKey`.
   */
  key: string;
  /** Requests per window; 0 refuses everything. */
  limit: number;
  window: Window;
  /** If true, the meter counts but never refuses (a quota with overage). */
  unlimited?: boolean;
  /** Number of permits that an instance may count ahead. None by default. */
  lease?: number;
  /** Cost of the request for this meter, if it differs from that of the attempt. A whole number from 0 to 2^53 - 1. */
  cost?: number;
}

/** One request to the store: either all of its meters admit it, or none of them changes. */
export interface Attempt {
  meters: readonly Meter[];
  /** Cost of the request, for meters without a separate one. 0 reads without consuming. */
  cost: number;
}

/** State of a meter after its verdict. All times are the store's. */
export interface Reading {
  limit: number;
  /** Hits in the window, including this request if it was admitted. Can exceed `limit`. */
  used: number;
  /** `max(0, limit - used)`. */
  remaining: number;
  /** When the full limit is available again if no requests follow. Equals the current time if nothing is used. */
  reset: Millis;
  /** When this request would fit. Null if it fits now, `Infinity` if it never will (the cost exceeds the limit). */
  retryAt: Millis | null;
}

/** The store's verdict on one attempt. `readings` are in the order of its meters. */
export interface Verdict {
  admitted: boolean;
  readings: readonly Reading[];
}
