import type { ErrorCode } from '@/lib/http/api-error';
import type { EndpointClass, SubjectKind } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** What is remembered of one decision. The engine hands it to the recorder, which must not slow it down. */
export interface DecisionEvent {
  at: Millis;
  outcome: 'allowed' | 'refused' | 'bypassed' | 'degraded';
  class: EndpointClass;
  /** The error code of a refusal. */
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
}
