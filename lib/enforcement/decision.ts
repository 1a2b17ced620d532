import type { ClientType } from '@/lib/contract/fields/enumerations';
import type { RefusalCode } from '@/lib/contract/fields/refusal-code';
import type { Address } from '@/lib/limiter/address';
import type { EndpointClass, SubjectKind } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** What is known of a request that has to be decided. */
export interface Facts {
  method: string | null;
  /** Without query. */
  path: string | null;
  /** Given by the caller of the decision API; else the route rules and the defaults say. */
  class?: EndpointClass;
  /** Null when nothing trustworthy tells it: all such requests share one counter. Undefined: no address to count. */
  address: Address | null | undefined;
  /** The secret in `X-API-Key`. */
  apiKey?: string;
  /** An API key by its uuid, from a caller that has checked the secret itself. */
  apiKeyId?: string;
  /** An OAuth client, on the authorization server's endpoints. */
  client?: { id: string; type: ClientType };
  /** Subject of a verified token or session. */
  userId?: string;
  /** 1 unless a route rule or the caller says otherwise. */
  cost?: number;
  requestId: string | null;
}

/** A limit as it is told to the caller. */
export interface LimitState {
  subject: SubjectKind;
  limit: number;
  remaining: number;
  /** When the full limit is available again, Unix seconds. */
  reset: Seconds;
  /** The same as delta seconds from the decision. */
  resetAfter: Seconds;
  /** Length of the window. */
  window: Seconds;
}

/** The refusal of a decision: what the answer says. */
export interface Refusal {
  error: RefusalCode;
  description: string;
  /** At least 1: waiting that long is enough for one request. Null where waiting does not help. */
  retryAfter: Seconds | null;
  /** Every subject that refused. */
  violated: readonly SubjectKind[];
}

/** What was decided over a request. */
export interface Decision {
  outcome: 'allowed' | 'bypassed' | 'degraded' | 'refused';
  class: EndpointClass;
  at: Millis;
  /** The tightest of the rate limits; null when bypassed or not counted. */
  tightest: LimitState | null;
  /** All rate limits that were looked at. */
  limits: readonly LimitState[];
  quota: LimitState | null;
  refusal: Refusal | null;
  /** Decided by this process alone, because the counter store is out of reach. */
  degraded: boolean;
}
