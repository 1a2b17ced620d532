import type { Exception } from '@/lib/contract/exceptions';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** An exemption as stored. */
export interface ExceptionRow {
  kind: Exception['kind'];
  id: string;
  type: Exception['type'];
  identifier: string;
  keyName: string | null;
  class: EndpointClass | null;
  limitName: string | null;
  /** JSON: windows and places of a named limit. */
  numbers: string | null;
  limit: number | null;
  windowSeconds: number | null;
  requests: number | null;
  reason: string;
  endsAt: Millis | null;
  createdAt: Millis;
  createdBy: string;
  managed: number;
  lastUsedAt: Millis | null;
}

/** Number of requests that would have been refused without an exemption. */
export interface ExceptionNeed {
  atLeast: number;
  since: Millis;
}
