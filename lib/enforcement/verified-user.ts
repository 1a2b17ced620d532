import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { hashSecret } from '@/lib/auth/secret-hash';
import { readSession } from '@/lib/auth/session';
import { requestOrigin } from '@/lib/http/request-origin';
import { SIGNING_ALGORITHM, signingKey } from '@/lib/oauth/lab/signing-key';
import type { Services } from '@/lib/operation/services';

/** Verified tokens by their hash: a signature is checked once. */
const subjects = new LRUCache<string, { sub: string; iss: string; exp: number }>({ max: 10_000 });

const API = /^\/api(?:\/|$)/i;
const BEARER = /^(?:bearer|dpop) +([A-Za-z0-9._~+/=-]+)$/i;
const LONGEST_TOKEN = 8192;

/**
 * The user whom a request is counted for: the subject of a verified access token on `/api/*`, else the member of a
 * signed-in session. Every control is on here, whatever the lab was told to overlook: an unverified token names nobody.
 */
export async function verifiedUser(request: Request, services: Services, path: string): Promise<string | null> {
  const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token !== undefined && token.length <= LONGEST_TOKEN && API.test(path) && services.config.SLUICE_LAB) {
    const subject = await tokenSubject(token, request, services);
    if (subject !== null) return subject;
  }
  const cookie = request.headers.get('cookie');
  if (cookie === null || !cookie.includes('next-auth.session-token')) return null;
  return (await readSession(cookie, services).catch(() => null))?.id ?? null;
}

async function tokenSubject(token: string, request: Request, services: Services): Promise<string | null> {
  const origin = requestOrigin(request, services.config);
  const now = services.clock();
  const id = hashSecret(token);
  const known = subjects.get(id);
  if (known !== undefined) return known.iss === origin && known.exp * 1000 > now ? known.sub : null;
  try {
    const lab = { origin, state: services.labState, now: services.clock, random: services.randomBytes };
    const { publicKey } = await signingKey(lab);
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: [SIGNING_ALGORITHM],
      issuer: origin,
      typ: 'at+jwt',
      currentDate: new Date(now),
      requiredClaims: ['sub', 'exp'],
    });
    if (payload.sub === undefined || payload.exp === undefined) return null;
    subjects.set(id, { sub: payload.sub, iss: origin, exp: payload.exp });
    return payload.sub;
  } catch {
    return null;
  }
}
