import type { IncidentMode } from '@/lib/contract/fields/incident';
import { SAFE_METHODS } from '@/lib/http/safe-methods.mjs';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** An incident as the limiter needs it. */
export interface IncidentRecord {
  mode: IncidentMode;
  /** Of the limits; 1 in the other modes. */
  factor: number;
  until: Millis;
}

/**
 * A limit times the factor, rounded down, at least 1; 0 stays 0. Computed in hundredths, which the factor is a whole
 * number of: 0.29 times 100 is 29.
 */
export function scaledLimit(limit: number, factor: number): number {
  if (limit === 0) return 0;
  return Math.max(1, Math.floor((limit * Math.round(factor * 100)) / 100));
}

/**
 * Whether read-only refuses a request: of the classes `write` and `sensitive` what has no safe method, or none that is
 * known, and a GET whose route rule or caller says `write`. Never of `read`, where a rule knows better than the method,
 * and never sign-ins (`auth`) and the lab: whoever ends the incident has to get in, and readers too.
 */
export function isWrite(endpointClass: EndpointClass, method: string | null): boolean {
  if (endpointClass !== 'write' && endpointClass !== 'sensitive') return false;
  if (endpointClass === 'write' && (method === 'GET' || method === 'HEAD')) return true;
  return method === null || !SAFE_METHODS.has(method);
}
