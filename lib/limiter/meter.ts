import type { MonthAnchor } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

export const ENDPOINT_CLASSES = ['auth', 'sensitive', 'read', 'write', 'lab'] as const;
export type EndpointClass = (typeof ENDPOINT_CLASSES)[number];

/** In the order in which refusals are reported. */
export const SUBJECT_ORDER = ['ip', 'client', 'user', 'quota'] as const;
/** The subject a meter counts against. */
export type SubjectKind = (typeof SUBJECT_ORDER)[number];

/** A sliding window of 60 slots, or a month (UTC), which has one slot: the calendar's, unless it has an anchor. */
export type Window = { kind: 'sliding'; seconds: Seconds } | MonthWindow;
export type MonthWindow = { readonly kind: 'month'; readonly anchor?: MonthAnchor };

/** One limit that a request has to fit under. The engine makes meters from the rules, the store counts them. */
export interface Meter {
  subject: SubjectKind;
  /** Of the counter in the store: at most 128 bytes of ASCII, nothing that JSON would escape. See `counterKey`. */
  key: string;
  /** Requests per window; 0 refuses everything. */
  limit: number;
  window: Window;
  /** Counts but never refuses (a quota with overage). */
  unlimited?: boolean;
  /** How many permits an instance may count ahead; by default none. */
  lease?: number;
}

/** One request as the store sees it: all of its meters admit it, or none of them is touched. */
export interface Attempt {
  meters: readonly Meter[];
  /** 0 reads without consuming. */
  cost: number;
}

/** A meter after its verdict. All times are the store's. */
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

/** The store's answer about one attempt; `readings` are in the order of its meters. */
export interface Verdict {
  admitted: boolean;
  readings: readonly Reading[];
}
