import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { hashSecret } from '@/lib/auth/secret-hash';
import { readSession } from '@/lib/auth/session';
import type { AuthServices } from '@/lib/auth/state';
import type { LabIdentity } from '@/lib/enforcement/lab-identity';
import { requestOrigin } from '@/lib/http/request-origin';

export interface VerifiedUserServices extends Pick<AuthServices, 'database' | 'clock' | 'authSecret'> {
  readonly config: AuthServices['config'] & { readonly SLUICE_LAB: boolean };
  readonly labIdentity: LabIdentity;
}

/** Verified tokens by their hash: a signature is checked once. */
const verified = new LRUCache<string, { sub: string; iss: string; exp: number }>({ max: 10_000 });

const API = /^\/api(?:\/|$)/i;
const BEARER = /^(?:bearer|dpop) +([A-Za-z0-9._~+/=-]+)$/i;
const LONGEST_TOKEN = 8192;

/**
 * The user that a request counts against: the subject of a verified access token on `/api/*`, else the member of a
 * session. Tokens are verified with every control on, whatever the request switches off in the lab.
 */
export async function verifiedUser(
  request: Request,
  services: VerifiedUserServices,
  path: string,
): Promise<string | null> {
  const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token !== undefined && token.length <= LONGEST_TOKEN && API.test(path) && services.config.SLUICE_LAB) {
    const subject = await tokenSubject(token, request, services);
    if (subject !== null) return subject;
  }
  const cookie = request.headers.get('cookie');
  if (cookie === null || !cookie.includes('next-auth.session-token')) return null;
  return (await readSession(cookie, services).catch(() => null))?.id ?? null;
}

async function tokenSubject(token: string, request: Request, services: VerifiedUserServices): Promise<string | null> {
  const origin = requestOrigin(request, services.config);
  const now = services.clock();
  const hash = hashSecret(token);
  const cached = verified.get(hash);
  if (cached !== undefined) return cached.iss === origin && cached.exp * 1000 > now ? cached.sub : null;
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
