import { decodeJwt, importJWK, type JWK, jwtVerify } from 'jose';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { hasCanonicalSegments } from '@/lib/http/base64';
import { isUnusable } from '@/lib/oauth/lab/access-token';
import type { Lab } from '@/lib/oauth/lab/services';
import { hashSecret } from '@/lib/oauth/lab/tickets';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Algorithms of client assertions and request objects: those of the registered key. */
export const CLIENT_KEY_ALGORITHMS = ['ES256'];
/** Longest lifetime of an assertion, in seconds. */
const LONGEST_LIFE = 3_600;
/** Tolerated clock skew, in seconds. */
const CLOCK_TOLERANCE = 10;

/** Reads the client that an assertion names, verified or not (RFC 7523 section 3). Undefined if it names none. */
export function readAssertionSubject(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub;
  } catch (error) {
    if (isUnusable(error)) return undefined;
    throw error;
  }
}

/**
 * Checks a client assertion (RFC 7523 section 3, OpenID Connect Core section 9). Its audience is the issuer, the token
 * endpoint or the called endpoint; for FAPI 2.0 it is the issuer. Each assertion works once.
 * @returns a sentence about its fault, or null
 */
export async function findAssertionProblem(
  assertion: string,
  { id, publicKey }: { id: string; publicKey: JWK },
  request: Request,
  lab: Lab,
): Promise<string | null> {
  if (!hasCanonicalSegments(assertion)) return 'The client assertion is not valid.';
  const now = lab.now();
  try {
    const { payload } = await jwtVerify(assertion, await importJWK(publicKey), {
      algorithms: CLIENT_KEY_ALGORITHMS,
      issuer: id,
      subject: id,
      audience: [lab.origin, lab.origin + LAB_PATHS.token, lab.origin + new URL(request.url).pathname],
      currentDate: new Date(now),
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ['exp', 'jti'],
    });
    const { exp = 0, iat = 0, jti, aud } = payload;
    if (lab.requirements['fapi-assertion-audience'] && aud !== lab.origin) {
      return 'The audience of the client assertion must be the issuer (FAPI 2.0).';
    }
    if (iat * 1000 > now + CLOCK_TOLERANCE * 1000) return 'The client assertion was issued in the future.';
    if (exp * 1000 > now + LONGEST_LIFE * 1000) return 'The client assertion lives for more than an hour.';
    const ticket = {
      kind: 'assertion' as const,
      hash: hashSecret(`${id}.${jti}`),
      payload: '{}',
      createdAt: now,
      expiresAt: (exp + 2 * CLOCK_TOLERANCE) * 1000,
    };
    return (await lab.state.put(ticket)) ? null : 'The client assertion was used before.';
  } catch (error) {
    if (isUnusable(error)) return 'The client assertion is not valid.';
    throw error;
  }
}
