import { createHash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { hashSecret } from '@/lib/auth/secret-hash';
import { readSession } from '@/lib/auth/session';
import type { AuthServices } from '@/lib/auth/state';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import { isAuthorizationServer } from '@/lib/enforcement/built-in-paths';
import { decodeBase64, hasCanonicalSegments } from '@/lib/http/base64';
import { readBytes, readMediaType } from '@/lib/http/json-body';
import { requestOrigin } from '@/lib/http/request-origin';
import { redactTokens } from '@/lib/logging/redact-tokens';

export interface VerifiedUserServices extends Pick<AuthServices, 'database' | 'clock' | 'authSecret'> {
  readonly config: AuthServices['config'] & { readonly SLUICE_LAB: boolean };
  readonly labIdentity: LabIdentity;
}

/** Verified tokens, by hash. The cache saves verifying a signature again. */
const verified = new LRUCache<string, { sub: string; iss: string; exp: number }>({ max: 10_000 });

const API = /^\/api(?:\/|$)/i;
const BEARER = /^(?:bearer|dpop) +([A-Za-z0-9._~+/=-]+)$/i;

/**
 * Finds the user that a request counts against: the subject of a verified access token on `/api/*`, or else the member
 * of a session. Tokens are verified with every control on, even if the request switches controls off in the lab.
 * @param member the member of the session, if the caller has read it already
 */
export async function findVerifiedUser(
  request: Request,
  services: VerifiedUserServices,
  readings: readonly string[],
  member?: string | null,
) {
  const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
  if (
    token !== undefined &&
    token.length <= 8192 &&
    readings.some((path) => API.test(path)) &&
    services.config.SLUICE_LAB
  ) {
    const subject = await verifySubject(token, request, services);
    if (subject !== null) return subject;
  }
  return member === undefined ? findSessionMember(request, services) : member;
}

/**
 * Finds the id of the member whose session the request carries. Returns null without a session, or while the database
 * is down.
 */
export async function findSessionMember(request: Request, services: VerifiedUserServices): Promise<string | null> {
  const cookie = request.headers.get('cookie');
  if (cookie === null || !cookie.includes('next-auth.session-token')) return null;
  return (await readSession(cookie, services).catch(() => null))?.id ?? null;
}

async function verifySubject(token: string, request: Request, services: VerifiedUserServices): Promise<string | null> {
  const origin = requestOrigin(request, services.config);
  const now = services.clock();
  const hash = hashSecret(token);
  const cached = verified.get(hash);
  if (cached !== undefined) return cached.iss === origin && cached.exp * 1000 > now ? cached.sub : null;
  if (!hasCanonicalSegments(token)) return null;
  try {
    const { key, algorithm } = await services.labIdentity.verificationKey(origin);
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer: origin,
      typ: 'at+jwt',
      currentDate: new Date(now),
      requiredClaims: ['sub', 'exp'],
    });
    if (payload.sub === undefined || payload.exp === undefined) return null;
    verified.set(hash, { sub: payload.sub, iss: origin, exp: payload.exp });
    return payload.sub;
  } catch {
    return null;
  }
}

/**
 * Finds the OAuth client that a request to the authorization server names, in HTTP Basic, the query or the body (RFC
 * 6749, sections 2.3.1 and 3.2.1). If they differ, the first one counts; the authorization server refuses such a
 * request. Returns null if the request names no client, or cannot be read.
 */
export async function findOAuthClient(
  request: Request,
  readings: readonly string[],
  lab: Pick<LabIdentity, 'clientType'>,
): Promise<{ id: string; type: ClientType } | null> {
  if (!readings.some(isAuthorizationServer)) return null;
  const { origin, searchParams } = new URL(request.url);
  const id = readBasicClient(request) ?? searchParams.get('client_id') ?? (await readBodyClient(request));
  if (id === null || id === '') return null;
  return { id: hideCredentials(id), type: lab.clientType(origin, id) };
}

/** Makes a name safe to store and list. A digest replaces any credential in it, so different names stay different. */
function hideCredentials(name: string): string {
  const safe = redactTokens(name);
  return safe === name ? name : safe + createHash('sha256').update(name).digest('base64url').slice(0, 16);
}

function readBasicClient(request: Request): string | null {
  const credentials = /^basic +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const decoded = credentials === undefined ? null : decodeBase64(credentials);
  if (decoded === null) return null;
  const name = decoded.toString('utf8').split(':')[0] ?? '';
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

async function readBodyClient(request: Request): Promise<string | null> {
  const type = readMediaType(request);
  const isForm = type === 'application/x-www-form-urlencoded';
  if (request.method === 'GET' || request.method === 'HEAD' || !(isForm || type === 'application/json')) return null;
  try {
    const text = new TextDecoder().decode(await readBytes(request.clone()));
    if (isForm) return new URLSearchParams(text).get('client_id');
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('client_id' in body)) return null;
    return typeof body.client_id === 'string' ? body.client_id : null;
  } catch {
    return null;
  }
}

/** Functions of the OAuth lab that enforcement needs. The process passes them in. */
export interface LabIdentity {
  /** Returns the type of a client. An unregistered client is public. @param origin origin of the lab */
  clientType(origin: string, id: string): ClientType;
  /** Returns the key and algorithm of the access tokens that the lab signs. @param origin origin of the lab */
  verificationKey(origin: string): Promise<{ key: CryptoKey; algorithm: string }>;
}
