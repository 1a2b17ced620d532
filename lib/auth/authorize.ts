import { type Actor, ANONYMOUS, isRoleAllowed } from '@/lib/auth/actor';
import { isSameOrigin } from '@/lib/auth/same-origin';
import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';
import { readSession } from '@/lib/auth/session';
import type { AuthServices } from '@/lib/auth/state';
import type { RoleAccess } from '@/lib/contract/operation';
import { SECOND_FACTOR_DETAIL } from '@/lib/contract/second-factor-detail';
import { ApiError } from '@/lib/http/api-error';
import type { HeaderReader, RequestHead } from '@/lib/http/request-head';
import type { Millis } from '@/lib/units';

const CHALLENGE = 'Bearer realm="sluice"';

type AuthorizeServices = Pick<AuthServices, 'database' | 'config' | 'auth' | 'clock' | 'authSecret'>;

/**
 * Authenticates a request and checks its role.
 *
 * A token (`Authorization: Bearer`, or `X-Admin-Token`) takes precedence over a cookie. Invalid, revoked and expired
 * tokens get the same answer. After 120 wrong tokens in a minute, an address must wait, but a valid token is never
 * refused.
 *
 * A session cookie authorises a change only from our own pages. The same applies to any decision, because decisions
 * consume. A session that must set up a second factor first has no other access.
 *
 * @param duringSetUp the request belongs to setting up a second factor
 * @throws ApiError unauthorized, forbidden, invalid_request (two different tokens), rate_limit_exceeded
 * @throws DatabaseUnavailable
 */
export function authorize(
  access: RoleAccess,
  request: RequestHead,
  services: AuthorizeServices,
  at: RequestOrigin,
  duringSetUp = false,
): Promise<Actor> {
  if (access === 'public') return Promise.resolve(ANONYMOUS);
  try {
    return identify(access, request, services, at, duringSetUp).then((actor) => {
      if (!isRoleAllowed(actor.role, access)) throw createForbidden();
      return actor;
    });
  } catch (fault) {
    return Promise.reject(fault);
  }
}

/**
 * Returns the cached caller if the rules have not changed since its token was looked up. Returns null if `authorize`
 * must query the database. Callers must detect a concurrent revocation: it is a change, and raises the revision.
 * @throws ApiError forbidden, invalid_request (two different tokens)
 */
export function authorizeRemembered(
  access: RoleAccess,
  request: RequestHead,
  services: AuthorizeServices,
  { now }: RequestOrigin,
): Actor | null {
  const token = readToken(request.headers, access === 'decide');
  if (token === undefined || token === null) return null;
  const { tokens, uses } = services.auth;
  const found = tokens.getCached(token);
  if (found === undefined || (found.expiresAt !== null && found.expiresAt <= now)) return null;
  const { actor } = found;
  if (!isRoleAllowed(actor.role, access)) throw createForbidden();
  uses.note(actor.id, now);
  return actor;
}

function createForbidden(): ApiError {
  return new ApiError('forbidden', 'Your role does not allow this.');
}

/** Time of a request (wall clock), and its address in canonical form. The address is null if it is missing. */
type RequestOrigin = { readonly now: Millis; readonly address: string | null };

/** Identifies the caller. Creates few promises, because Next tracks each one, which costs time. */
function identify(
  access: RoleAccess,
  request: RequestHead,
  services: AuthorizeServices,
  at: RequestOrigin,
  duringSetUp: boolean,
): Promise<Actor> {
  const token = readToken(request.headers, access === 'decide');
  if (token === undefined) return authorizeSession(access, request, services, duringSetUp);
  if (token === null) throw createWrongTokenError(services, at);
  return findToken(access, token, services, at);
}

function findToken(access: RoleAccess, token: string, services: AuthorizeServices, at: RequestOrigin): Promise<Actor> {
  const digest = digestSecret(token);
  const bootstrap = services.config.SLUICE_ADMIN_TOKEN;
  if (bootstrap !== undefined && isConfiguredSecret(digest, bootstrap))
    return Promise.resolve({ id: 'bootstrap', name: 'bootstrap', role: 'owner' });
  const { tokens, uses } = services.auth;
  const hash = digest.toString('base64url');
  const looked = access === 'any-token' ? tokens.findOrRemember(hash) : tokens.find(hash);
  return looked.then((found) => {
    if (found === null || (found.expiresAt !== null && found.expiresAt <= at.now))
      throw createWrongTokenError(services, at, token);
    uses.note(found.actor.id, at.now);
    return found.actor;
  });
}

async function authorizeSession(
  access: RoleAccess,
  request: RequestHead,
  services: AuthorizeServices,
  duringSetUp: boolean,
): Promise<Actor> {
  const member = await readSession(request.headers.get('cookie'), services);
  if (member === null) {
    throw new ApiError('unauthorized', 'A token or a signed-in session is required.', {
      headers: { 'WWW-Authenticate': CHALLENGE },
    });
  }
  const changes = access === 'decide' || !['GET', 'HEAD'].includes(request.method);
  if (changes && !isSameOrigin(request, services.config)) {
    throw new ApiError('forbidden', 'A request with a session cookie must come from this site itself.');
  }
  if (member.mustSetUp && !duringSetUp)
    throw new ApiError('forbidden', 'An owner requires a second factor of everyone. Set yours up first.', {
      details: [{ path: SECOND_FACTOR_DETAIL, message: 'must be set up first' }],
    });
  return { id: `member:${member.id}`, name: member.email, role: member.role };
}

function createWrongTokenError(services: AuthorizeServices, at: RequestOrigin, token = ''): ApiError {
  const wait = services.auth.failures.note(at.address, at.now);
  if (wait !== null) {
    return new ApiError('rate_limit_exceeded', 'Too many wrong tokens came from this address.', {
      headers: { 'Retry-After': String(wait) },
    });
  }
  const isKey = token.startsWith('slk_');
  const description = isKey ? 'An API key is no token: it belongs in X-API-Key.' : 'The token is not valid.';
  return new ApiError('unauthorized', description, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

const BEARER = /^bearer +([\x21-\x2b\x2d-\x7e]+)$/i;
const TOKEN = /^[\x21-\x2b\x2d-\x7e]+$/;
/** Schemes of a proxy that guards the same site. Sluice ignores them. */
const OF_OTHERS = /^(basic|digest|negotiate) /i;
const LONGEST = 512;

/**
 * Reads the token in `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case) and
 * `X-Admin-Token`. A token is visible ASCII without commas, so a header that was sent twice is malformed.
 *
 * @param headerFirst use only `X-Admin-Token` if both are given: a reverse proxy that requests a decision sets it in
 * addition to the `Authorization` of the client
 * @returns null if the token is malformed, undefined if there is none
 * @throws ApiError invalid_request if there are two different tokens
 */
function readToken(headers: HeaderReader, headerFirst: boolean): string | null | undefined {
  const authorization = headers.get('authorization');
  const own = headers.get('x-admin-token');
  const candidates: (string | null)[] = [];
  if (own !== null) candidates.push(TOKEN.test(own) ? own : null);
  if (authorization !== null && !(headerFirst && own !== null) && !OF_OTHERS.test(authorization)) {
    candidates.push(BEARER.exec(authorization)?.[1] ?? null);
  }
  const [first, second] = candidates;
  if (first === undefined) return undefined;
  if (first === null || second === null || first.length > LONGEST) return null;
  if (second !== undefined && second !== first)
    throw new ApiError('invalid_request', 'Authorization and X-Admin-Token carry different tokens.');
  return first;
}
