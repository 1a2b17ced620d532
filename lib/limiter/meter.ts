import type { Millis, Seconds } from '@/lib/units';

/*
 * What a request is measured by. Pure data: the engine makes meters from the rules, the counter store adds them up.
 */

export type EndpointClass = 'auth' | 'sensitive' | 'read' | 'write';

export const ENDPOINT_CLASSES = ['auth', 'sensitive', 'read', 'write'] as const satisfies readonly EndpointClass[];

/** Whom a meter counts. The order is the order in which refusals are named. */
export type SubjectKind = 'ip' | 'client' | 'user' | 'quota';

export const SUBJECT_ORDER = ['ip', 'client', 'user', 'quota'] as const satisfies readonly SubjectKind[];

/**
 * The span that a meter adds up: a sliding window of 60 slots, or the calendar month (UTC), which is the same thing
 * with one slot a month.
 */
export type Window = { kind: 'sliding'; seconds: Seconds } | { kind: 'month' };

/** One limit that a request has to fit under. */
export interface Meter {
  subject: SubjectKind;
  /** The counter's name in the store: at most 128 bytes, see `counterKey`. */
  key: string;
  /** Requests per window; 0 refuses everything. */
  limit: number;
  window: Window;
  /** The meter counts but never refuses (a quota with overage). */
  unlimited?: boolean;
}

/** One request as the counter store sees it: all of its meters admit it, or none of them is touched. */
export interface Attempt {
  meters: readonly Meter[];
  /** How much the request weighs; 0 reads without consuming. */
  cost: number;
}

/** A meter after it was judged. All times are the store's. */
export interface Reading {
  limit: number;
  /** Consumed in the window, the request itself included when it was admitted. Can exceed `limit`. */
  used: number;
  /** `max(0, limit - used)`. */
  remaining: number;
  /** When the full limit is available again if nothing more is sent; now when nothing is used. */
  reset: Millis;
  /** When this request would fit, null when it fits now; `Infinity` when it never will (cost above the limit). */
  retryAt: Millis | null;
}

/** The judgement over one attempt; `readings` are in the order of its meters. */
export interface Verdict {
  admitted: boolean;
  readings: readonly Reading[];
}
