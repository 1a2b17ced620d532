import { decodeJwt, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { hashSecret } from '@/lib/auth/secret-hash';
import { readSession } from '@/lib/auth/session';
import type { AuthServices } from '@/lib/auth/state';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import { isAuthorizationServer } from '@/lib/enforcement/built-in-paths';
import { hideCredentials } from '@/lib/enforcement/hide-credentials';
import { hasCanonicalSegments } from '@/lib/http/base64';
import { readAnyBytes, readMediaType } from '@/lib/http/json-body';
import { requestOrigin } from '@/lib/http/request-origin';

export interface VerifiedUserServices extends Pick<AuthServices, 'database' | 'clock' | 'authSecret'> {
  readonly config: AuthServices['config'] & { readonly SLUICE_LAB: boolean };
  readonly labIdentity: LabIdentity;
}

/** Verified tokens, by hash. The cache saves verifying a signature again. */
const verified = new LRUCache<string, { sub: string; iss: string; exp: number }>({ max: 10_000 });

/** Paths that take access tokens. */
const RESOURCE = /^\/(?:api(?:\/.*)?|auth\/userinfo\/?)$/is;
const BEARER = /^(?:bearer|dpop) +([A-Za-z0-9._~+/=-]+)$/i;

/**
 * Finds the user that a request counts against: the subject of a verified access token on `/api/*` and
 * `/auth/userinfo`, or else the member of a session. Tokens are verified with every control on, even if the request
 * switches controls off in the lab.
 * @param member the member of the session, if the caller has read it already
 */
export async function findVerifiedUser(
  request: Request,
  services: VerifiedUserServices,
  readings: readonly string[],
  member?: string | null,
) {
  if (services.config.SLUICE_LAB && readings.some((path) => RESOURCE.test(path))) {
    const token = await readAccessToken(request, readings);
    const subject = token === '' || token.length > 8192 ? null : await verifySubject(token, request, services);
    if (subject !== null) return subject;
  }
  return member === undefined ? findSessionMember(request, services) : member;
}

/** Returns the access token in the header, or else in the form of the lab (RFC 6750 section 2). Empty if there is none. */
async function readAccessToken(request: Request, readings: readonly string[]): Promise<string> {
  const header = request.headers.get('authorization');
  if (header !== null) return BEARER.exec(header)?.[1] ?? '';
  const inQuery = new URL(request.url).searchParams.get('access_token');
  if (inQuery !== null || !readings.some(isAuthorizationServer)) return inQuery ?? '';
  return (await readBodyParameters(request)).get('access_token') ?? '';
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
 * Finds the OAuth clients that a request to the authorization server names: in HTTP Basic, the query or the body (RFC
 * 6749, sections 2.3.1 and 3.2.1), or as the subject of an assertion (RFC 7523, section 3). Reads them leniently, because
 * servers do: a client that is not seen here would not be counted. Each is listed once. Empty if the request names none,
 * or cannot be read.
 */
export async function findOAuthClients(
  request: Request,
  readings: readonly string[],
  lab: Pick<LabIdentity, 'clientType'>,
): Promise<{ id: string; type: ClientType }[]> {
  if (!readings.some(isAuthorizationServer)) return [];
  const { origin, searchParams } = new URL(request.url);
  const body = await readBodyParameters(request);
  const inParameters = [searchParams, body].flatMap((parameters) => [
    ...parameters.getAll('client_id'),
    ...parameters.getAll('client_assertion').map(readAssertedClient),
  ]);
  const named = new Set([readBasicClient(request), ...inParameters].filter((id) => id !== ''));
  return [...named].map((id) => ({ id: hideCredentials(id), type: lab.clientType(origin, id) }));
}

/** Returns the client in HTTP Basic, in any spelling of base64. Empty if there is none. */
function readBasicClient(request: Request): string {
  const credentials = /^basic\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  const name = Buffer.from(credentials, 'base64').toString('utf8').split(':')[0] ?? '';
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** Returns the subject of a client's assertion, verified or not. Empty if there is none. */
function readAssertedClient(assertion: string): string {
  try {
    const { sub }: { sub?: unknown } = decodeJwt(assertion);
    return typeof sub === 'string' ? sub : '';
  } catch {
    return '';
  }
}

/** Reads the parameters in a body: a form, or the texts of a JSON object. Ignores its coding and its character set. */
async function readBodyParameters(request: Request): Promise<URLSearchParams> {
  const type = readMediaType(request);
  const isForm = type === 'application/x-www-form-urlencoded';
  if (request.method === 'GET' || request.method === 'HEAD' || !(isForm || type === 'application/json'))
    return new URLSearchParams();
  try {
    const text = new TextDecoder().decode(await readAnyBytes(request.clone()));
    if (isForm) return new URLSearchParams(text);
    const members = Object.entries(JSON.parse(text) ?? {});
    return new URLSearchParams(members.filter((member): member is [string, string] => typeof member[1] === 'string'));
  } catch {
    return new URLSearchParams();
  }
}

/** Functions of the OAuth lab that enforcement needs. The process passes them in. */
export interface LabIdentity {
  /** Returns the type of a client. An unregistered client is public. @param origin origin of the lab */
  clientType(origin: string, id: string): ClientType;
  /** Returns the key and algorithm of the access tokens that the lab signs. @param origin origin of the lab */
  verificationKey(origin: string): Promise<{ key: CryptoKey; algorithm: string }>;
}
