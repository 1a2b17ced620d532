import { ERROR_STATUS, type ErrorCode } from '@/lib/http/api-error';
import type { Address } from '@/lib/limiter/address';
import { ENDPOINT_CLASSES, type EndpointClass, type SubjectKind } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

export const OUTCOMES = ['allowed', 'refused', 'bypassed', 'degraded', 'observed'] as const;

/** The limit that refused, before the request. */
interface RefusingLimit {
  limit: number;
  window: Seconds;
  /** Null of the throttle. */
  used: number | null;
  /** Unix seconds. */
  reset: Seconds | null;
}

/** Where the limit of a refusal, or a bypass, comes from. */
export type DecisionSource = 'policy' | 'override' | 'client' | 'tier' | 'allowlist' | 'throttle' | 'incident';

/** What a candidate limit, by its id, would have decided otherwise; null where it decides alike. */
export interface CandidateOutcome {
  id: string;
  /** Whose limit it stands beside, an IPv6 address as its /64; null where it decides alike. */
  identifier: string | null;
  would: 'refuse' | 'allow' | null;
}

/** One decision as the recorder counts it. */
export interface DecisionEvent {
  at: Millis;
  outcome: (typeof OUTCOMES)[number];
  class: EndpointClass;
  /** The error code of a refusal, made or (outcome `observed`) only observed. */
  reason: ErrorCode | null;
  /** The subject that refused or bypassed; `global` for the throttle. */
  subjectType: SubjectKind | 'global' | null;
  /** The address, user id, client id or API key id of that subject. */
  identifier: string | null;
  method: string | null;
  path: string | null;
  ip: string | null;
  userId: string | null;
  apiKeyId: string | null;
  requestId: string | null;
  cost: number;
  /** Overrides that set a limit of this decision, by id. */
  overrideIds: readonly string[];
  /** The allowlist entry that bypassed by the address, or the override for a range of addresses, and the address. */
  rangeUse: { exception: string; address: Address } | null;
  /** What candidate limits would have decided. */
  candidates: readonly CandidateOutcome[];
  /** Of a refusal by a limit. */
  refusedBy: RefusingLimit | null;
  retryAfter: Seconds | null;
  source: DecisionSource | null;
  /** Of the override or the allowlist entry; the client type; the tier. */
  sourceId: string | null;
}

/** The empty reason is that of all decisions but refusals. */
const REASONS: readonly string[] = ['', ...Object.keys(ERROR_STATUS)];

/** Class, outcome and reason of each count in a tally. */
const CELLS = ENDPOINT_CLASSES.flatMap((endpointClass) =>
  OUTCOMES.flatMap((outcome) => REASONS.map((reason) => ({ class: endpointClass, outcome, reason }))),
);

/** One count for every combination of class, outcome and reason. */
export type Tally = Float64Array;
export type TallyCell = (typeof CELLS)[number] & { count: number };

export function emptyTally(): Tally {
  return new Float64Array(CELLS.length);
}

/** The index of a decision's count, without an allocation. */
export function cellOf(event: Pick<DecisionEvent, 'class' | 'outcome' | 'reason'>): number {
  const row = ENDPOINT_CLASSES.indexOf(event.class) * OUTCOMES.length + OUTCOMES.indexOf(event.outcome);
  return row * REASONS.length + (event.reason === null ? 0 : REASONS.indexOf(event.reason));
}

export function countIn(tally: Tally, cell: number): void {
  tally[cell] = (tally[cell] ?? 0) + 1;
}

/** All counts above 0. */
export function cellsOf(tally: Tally): TallyCell[] {
  return CELLS.map((cell, index) => ({ ...cell, count: tally[index] ?? 0 })).filter(({ count }) => count > 0);
}
