import { type Actor, ANONYMOUS, roleAllows } from '@/lib/auth/actor';
import { authState } from '@/lib/auth/auth-state';
import { readCredential } from '@/lib/auth/read-credential';
import { isSameOrigin } from '@/lib/auth/same-origin';
import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';
import { readSession } from '@/lib/auth/session';
import type { RoleAccess } from '@/lib/contract/operation';
import { ApiError } from '@/lib/http/api-error';
import type { RequestHead } from '@/lib/http/request-head';
import type { Millis } from '@/lib/limiter/meter';
import type { Services } from '@/lib/operation/services';

const CHALLENGE = 'Bearer realm="sluice"';
const SAFE_METHODS = ['GET', 'HEAD'];

/**
 * Who sends this request, and whether they may.
 *
 * A token (`Authorization: Bearer`, or `X-Admin-Token`) counts before a cookie. Unknown, revoked and expired tokens look
 * the same; after 120 wrong ones in a minute an address is told to wait, a right one is never refused. A session
 * cookie counts for what changes something only from our own pages, and for decisions, which count, always only so.
 *
 * @throws ApiError unauthorized, forbidden, invalid_request (two different tokens), rate_limit_exceeded
 * @throws DatabaseUnavailable
 */
export function authorize(access: RoleAccess, request: RequestHead, services: Services, at: Origin): Promise<Actor> {
  if (access === 'public') return Promise.resolve(ANONYMOUS);
  try {
    return identify(access, request, services, at).then((actor) => {
      if (!roleAllows(actor.role, access)) throw new ApiError('forbidden', 'Your role does not allow this.');
      return actor;
    });
  } catch (fault) {
    return Promise.reject(fault);
  }
}

/** When and from where a request came. */
interface Origin {
  /** Wall clock in milliseconds. */
  readonly now: Millis;
  /** In canonical form; null when nothing trustworthy tells it. */
  readonly address: string | null;
}

/** Few promises: each costs something in a process in which Next follows them all. */
function identify(access: RoleAccess, request: RequestHead, services: Services, at: Origin): Promise<Actor> {
  const credential = readCredential(request.headers, access === 'decide');
  switch (credential.kind) {
    case 'conflicting':
      throw new ApiError('invalid_request', 'Authorization and X-Admin-Token carry different tokens.');
    case 'malformed':
      throw wrongToken(services, at);
    case 'token':
      return findToken(credential.token, services, at);
    case 'none':
      return fromSession(access, request, services);
  }
}

function findToken(token: string, services: Services, at: Origin): Promise<Actor> {
  const digest = digestSecret(token);
  const bootstrap = services.config.SLUICE_ADMIN_TOKEN;
  if (bootstrap !== undefined && isConfiguredSecret(digest, bootstrap))
    return Promise.resolve({ id: 'bootstrap', name: 'bootstrap', role: 'owner' });
  const { tokens, uses } = authState(services.database);
  return tokens.find(digest.toString('base64url')).then((found) => {
    if (found === null || (found.expiresAt !== null && found.expiresAt <= at.now)) throw wrongToken(services, at);
    const id = `token:${found.id}`;
    uses.note(id, at.now);
    return { id, name: found.name, role: found.role };
  });
}

async function fromSession(access: RoleAccess, request: RequestHead, services: Services): Promise<Actor> {
  const member = await readSession(request.headers.get('cookie'), services);
  if (member === null) {
    throw new ApiError('unauthorized', 'A token or a signed-in session is required.', {
      headers: { 'WWW-Authenticate': CHALLENGE },
    });
  }
  const changes = access === 'decide' || !SAFE_METHODS.includes(request.method);
  if (changes && !isSameOrigin(request, services.config)) {
    throw new ApiError('forbidden', 'A request with a session cookie must come from this site itself.');
  }
  return { id: `member:${member.id}`, name: member.email, role: member.role };
}

function wrongToken(services: Services, at: Origin): ApiError {
  const wait = authState(services.database).failures.note(at.address, at.now);
  if (wait !== null) {
    return new ApiError('rate_limit_exceeded', 'Too many wrong tokens came from this address.', {
      headers: { 'Retry-After': String(wait) },
    });
  }
  return new ApiError('unauthorized', 'The token is not valid.', {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}
