import { redirectRefusedNavigation } from '@/lib/auth/sign-in-page';
import { isAuthorizationServer, isLabEndpoint, isSignIn } from '@/lib/enforcement/built-in-paths';
import {
  findOAuthClients,
  findSessionMember,
  findVerifiedUser,
  type VerifiedUserServices,
} from '@/lib/enforcement/caller-identity';
import { type AllowedOrigins, addCorsFields } from '@/lib/enforcement/cross-origin';
import type { Decision } from '@/lib/enforcement/decision';
import type { Engine } from '@/lib/enforcement/engine';
import { buildDecisionHeaders } from '@/lib/enforcement/headers';
import { isOwnRoute } from '@/lib/enforcement/own-routes';
import { listReadings } from '@/lib/enforcement/path-readings';
import type { Facts } from '@/lib/enforcement/plan';
import { buildRefusedAnswer } from '@/lib/enforcement/refused-answer';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { readClientAddress } from '@/lib/http/client-address';
import { isPreflight, listHeaderReadings, readSingleValue } from '@/lib/http/request-head';

export interface AdmissionServices extends VerifiedUserServices {
  readonly engine: Pick<Engine, 'admit'>;
  readonly rules: Pick<RulesCache, 'current'>;
  readonly config: VerifiedUserServices['config'] & { readonly SLUICE_IETF_HEADERS: boolean };
}

/** Handling of a path: decided and served here, decided and proxied, or served without a decision. */
export type Protection = 'protected' | 'upstream' | 'own';

const SESSION = /^\/api\/auth(?:\/|$)/i;
const API = /^\/api(?:\/|$)/i;

/**
 * Returns how a path is handled. `/auth/*`, `/api/*` and sign-ins are decided in every spelling, as are all requests
 * for the upstream. The session look-ups that pages make are exempt.
 */
export function findProtection(pathname: string, hasUpstream: boolean): Protection {
  const readings = listReadings(pathname);
  if (readings.some(isSignIn)) return 'protected';
  if (hasUpstream && !isOwnRoute(pathname)) return 'upstream';
  return readings.some((path) => isAuthorizationServer(path) || (API.test(path) && !SESSION.test(path)))
    ? 'protected'
    : 'own';
}

/**
 * Decides a request to a protected path.
 * @param pathname the path as it was sent, if `request.url` differs from it
 * @param allowed origins that the upstream has allowed; null if there is no upstream, or if its answers are not visible
 * @returns `response` is the refusal, or null if the request is admitted; `headers` belong to its answer
 */
export async function decideAdmission(
  request: Request,
  services: AdmissionServices,
  requestId: string,
  pathname: string = new URL(request.url).pathname,
  allowed: AllowedOrigins | null = null,
): Promise<{ decision: Decision; headers: Record<string, string>; response: Response | null }> {
  const { config, engine, labIdentity } = services;
  const readings = listReadings(pathname);
  const apiKey = readSingleValue(request.headers.get('x-api-key'));
  const [client = null, ...otherClients] = await findOAuthClients(request, readings, labIdentity);
  const member =
    config.SLUICE_LAB && readings.some(isLabEndpoint) ? await findSessionMember(request, services) : undefined;
  const userId = await findVerifiedUser(request, services, readings, member);
  // The lab refuses two OAuth clients itself, with the controls that they violate.
  const hasTwoClients = otherClients.length > 0 && !isOwnRoute(pathname);
  const conflicting = apiKey === 'several' || (apiKey !== null && client !== null) || hasTwoClients;
  const facts: Facts = {
    method: request.method,
    path: pathname,
    address: readClientAddress(request.headers, config),
    ...(apiKey === null || conflicting ? {} : { apiKey }),
    ...(client === null || conflicting ? {} : { client }),
    ...(userId === null ? {} : { userId }),
    ...(member ? { signedIn: true } : {}),
    // The upstream receives the joined value too.
    header: (name) => listHeaderReadings(request.headers, name),
    ...(isPreflight(request.method, request.headers) ? { preflight: true } : {}),
    requestId,
  };
  const decision = await engine.admit(facts);
  const headers = buildDecisionHeaders(decision, config.SLUICE_IETF_HEADERS);
  const accept = request.headers.get('accept');
  const answer = buildRefusedAnswer(decision, { headers, accept, requestId, conflicting, path: pathname });
  if (answer === null) return { decision, headers, response: null };
  const { body, ...init } = addCorsFields(answer, request, services.rules.current, allowed);
  const refused = { status: answer.status, headers: { ...headers, 'X-Request-Id': requestId } };
  const navigation = decision.refusal === null ? null : redirectRefusedNavigation(request, refused, config);
  return { decision, headers, response: navigation ?? new Response(body, init) };
}
