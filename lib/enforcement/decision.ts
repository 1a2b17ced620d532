import type { ClientType, RefusalCode } from '@/lib/contract/fields/enumerations';
import type { Address } from '@/lib/limiter/address';
import type { EndpointClass, SubjectKind } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** What is known of a request before its decision. */
export interface Facts {
  method: string | null;
  /** Without query. */
  path: string | null;
  /** From a check; by default the route rules decide. */
  class?: EndpointClass;
  /** Null without a trusted address: all such requests share one counter. Undefined: no address is counted. */
  address: Address | null | undefined;
  /** The secret in `X-API-Key`. */
  apiKey?: string;
  /** UUID of an API key, from a caller that has verified the secret itself. */
  apiKeyId?: string;
  /** An OAuth client, on the authorization server's endpoints. */
  client?: { id: string; type: ClientType };
  /** Of a verified token or session. */
  userId?: string;
  /** By default that of the route rule, else 1. */
  cost?: number;
  requestId: string | null;
}

/** A limit as the caller sees it. */
export interface LimitState {
  subject: SubjectKind;
  limit: number;
  remaining: number;
  /** When the full limit is available again, Unix seconds. */
  reset: Seconds;
  /** The same in seconds from the decision. */
  resetAfter: Seconds;
  /** Length of the window. */
  window: Seconds;
}

/** Why a request is refused, as its answer says. */
export interface Refusal {
  error: RefusalCode;
  description: string;
  /** At least 1: after this time one request fits. Null where waiting does not help. */
  retryAfter: Seconds | null;
  /** All subjects that refused. */
  violated: readonly SubjectKind[];
}

/** The answer to one request. */
export interface Decision {
  outcome: 'allowed' | 'bypassed' | 'degraded' | 'refused';
  class: EndpointClass;
  at: Millis;
  /** The tightest of the rate limits; null when bypassed or not counted. */
  tightest: LimitState | null;
  /** All rate limits, without the quota. */
  limits: readonly LimitState[];
  quota: LimitState | null;
  refusal: Refusal | null;
  /** Decided by this process alone, because the counter store is down. */
  degraded: boolean;
}
