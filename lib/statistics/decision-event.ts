import { ERROR_STATUS, type ErrorCode } from '@/lib/http/api-error';
import type { Address } from '@/lib/limiter/address';
import { ENDPOINT_CLASSES, type EndpointClass, type SubjectKind } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

export const OUTCOMES = ['allowed', 'refused', 'bypassed', 'degraded', 'observed'] as const;

/** The limit that refused, as it was before the request. */
interface RefusingLimit {
  limit: number;
  window: Seconds;
  /** Usage in the window. Null for the throttle. */
  used: number | null;
  /** End of the window, in Unix seconds. */
  reset: Seconds | null;
}

/** Origin of a limit that refused, or of a bypass. */
type DecisionSource =
  | 'policy'
  | 'override'
  | 'client'
  | 'tier'
  | 'limit'
  | 'key'
  | 'allowlist'
  | 'throttle'
  | 'incident';

/** The decision of a candidate limit, by its id. */
export interface CandidateOutcome {
  id: string;
  /**
   * Identifier of the limit that the candidate shadows; an IPv6 address as its /64. Null if the candidate decides
   * alike.
   */
  identifier: string | null;
  would: 'refuse' | 'allow' | null;
}

/** Count of a decision for one named limit and subject. */
export interface LimitUse {
  name: string;
  subject: string;
  /** Units that it counted, or would have counted if it was refused. Places count as one unit. */
  units: number;
  /** Used share of its tightest window, in percent. */
  percent: number;
}

/** Used share of the limits of a class, in percent. Null if a subject has no limit. */
export interface UsedShares {
  ip: number | null;
  user: number | null;
  client: number | null;
}

/** One decision, as the recorder counts it. */
export interface DecisionEvent {
  at: Millis;
  outcome: (typeof OUTCOMES)[number];
  /** Null if only named limits decided. */
  class: EndpointClass | null;
  /** The error code of a refusal, whether enforced or only observed (outcome `observed`). */
  reason: ErrorCode | null;
  /** The subject that refused or bypassed. `global` for the throttle. */
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
  /** Ids of the overrides that set a limit of this decision. */
  overrideIds: readonly string[];
  /** The exemption that matched the address: an allowlist entry, or an override for a range of addresses. */
  rangeUse: { exception: string; address: Address } | null;
  /** Decisions of the candidate limits. */
  candidates: readonly CandidateOutcome[];
  /** The named limit that refused. */
  limitName: string | null;
  /** Named limits of the decision. */
  limitUses: readonly LimitUse[];
  /** True if the units of the named limits can be settled afterwards. */
  isReserved: boolean;
  usedShares: UsedShares;
  /** The limit that refused. Null for other decisions. */
  refusedBy: RefusingLimit | null;
  retryAfter: Seconds | null;
  source: DecisionSource | null;
  /** Id of the override, the API key or the allowlist entry, or name of the client type, the tier or the limit. */
  sourceId: string | null;
}

/** Reasons of the counts. The empty reason stands for decisions that are not refusals. */
const REASONS: readonly string[] = ['', ...Object.keys(ERROR_STATUS)];

/** Class, outcome and reason of each count in a tally. */
const CLASSES: readonly (EndpointClass | null)[] = [...ENDPOINT_CLASSES, null];
const CELLS = CLASSES.flatMap((endpointClass) =>
  OUTCOMES.flatMap((outcome) => REASONS.map((reason) => ({ class: endpointClass, outcome, reason }))),
);

/** One count for every combination of class, outcome and reason. */
export type Tally = Float64Array;
export type TallyCell = (typeof CELLS)[number] & { count: number };

export function createTally(): Tally {
  return new Float64Array(CELLS.length);
}

/** Returns the index of the count of a decision. Allocates nothing. */
export function findCell(event: Pick<DecisionEvent, 'class' | 'outcome' | 'reason'>): number {
  const row = CLASSES.indexOf(event.class) * OUTCOMES.length + OUTCOMES.indexOf(event.outcome);
  return row * REASONS.length + (event.reason === null ? 0 : REASONS.indexOf(event.reason));
}

export function addToTally(tally: Tally, cell: number): void {
  tally[cell] = (tally[cell] ?? 0) + 1;
}

/** Lists all counts above 0. */
export function listCells(tally: Tally): TallyCell[] {
  return CELLS.map((cell, index) => ({ ...cell, count: tally[index] ?? 0 })).filter(({ count }) => count > 0);
}
