import type { IncidentMode } from '@/lib/contract/fields/incident';
import { SAFE_METHODS } from '@/lib/http/safe-methods';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** An incident, as the limiter uses it. */
export interface IncidentRecord {
  mode: IncidentMode;
  /** Factor for the limits. 1 in the other modes. */
  factor: number;
  until: Millis;
}

/**
 * Multiplies a limit by the factor, rounded down, at least 1; 0 stays 0. The factor is a whole number of hundredths, so
 * the product is computed in hundredths: 0.29 becomes 29.
 */
export function scaleLimit(limit: number, factor: number): number {
  if (limit === 0) return 0;
  return Math.max(1, Math.floor((limit * Math.round(factor * 100)) / 100));
}

/**
 * Returns whether a read-only incident refuses a request.
 *
 * In the classes `write` and `sensitive` it refuses every method that is missing or not safe. In the class `write` it
 * also refuses GET, because a route rule or the caller chose that class. The class `read` always passes, because a rule
 * overrides the method. Sign-ins (`auth`) and the lab pass too, because people must sign in to end the incident, or to
 * read.
 */
export function isWrite(endpointClass: EndpointClass, method: string | null): boolean {
  if (endpointClass !== 'write' && endpointClass !== 'sensitive') return false;
  if (endpointClass === 'write' && (method === 'GET' || method === 'HEAD')) return true;
  return method === null || !SAFE_METHODS.has(method);
}
