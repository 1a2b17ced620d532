import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { hasCanonicalSegments } from '@/lib/http/base64';
import { isUnusable } from '@/lib/oauth/lab/access-token';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { hashSecret } from '@/lib/oauth/lab/tickets';

const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

/** Lists the algorithms of proofs (RFC 9449 section 5.1). FAPI 2.0 allows no RS256. */
export const listDpopAlgorithms = ({ requirements }: Pick<Lab, 'requirements'>): string[] =>
  ALGORITHMS.filter((name) => name !== 'RS256' || !requirements['fapi-algorithms']);

/** Maximum age of a proof, in seconds. */
const PROOF_AGE = 60;

/** The thumbprint of the proven key, or a sentence about the fault of the proof. */
type ProofReading = { ok: true; thumbprint: string } | { ok: false; problem: string };

/**
 * Returns the thumbprint that the proof of a request proves. Returns null without a valid proof. Records a violation
 * for an invalid one.
 */
export async function readProof(request: Request, violations: Violations, lab: Lab): Promise<string | null> {
  const proof = request.headers.get('dpop');
  const reading = proof === null ? null : await checkDpopProof(proof, request, lab);
  if (reading?.ok === false) violations.note('dpop-proof', reading.problem, 'invalid_dpop_proof');
  return reading?.ok ? reading.thumbprint : null;
}

/** Normalises an address and drops its query and fragment (RFC 9449 section 4.3, RFC 3986 section 6.2). */
const removeQuery = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

/**
 * Checks a DPoP proof (RFC 9449 section 4.3). Each proof works once.
 * @param accessToken the token sent with the proof, at a resource server
 */
export async function checkDpopProof(
  proof: string,
  request: Request,
  lab: Lab,
  accessToken?: string,
): Promise<ProofReading> {
  const createRefusal = (problem: string): ProofReading => ({ ok: false, problem });
  if (!hasCanonicalSegments(proof)) return createRefusal('The DPoP proof is malformed.');
  try {
    const now = lab.now();
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: listDpopAlgorithms(lab),
      currentDate: new Date(now),
      maxTokenAge: PROOF_AGE,
      clockTolerance: 5,
      requiredClaims: ['jti', 'iat', 'htm', 'htu'],
    });
    const { htm, htu, ath, jti } = payload;
    const { jwk } = protectedHeader;
    if (htm !== request.method) return createRefusal('The DPoP proof is for another method.');
    const url = lab.origin + new URL(request.url).pathname;
    if (typeof htu !== 'string' || !URL.canParse(htu) || removeQuery(htu) !== removeQuery(url)) {
      return createRefusal('The DPoP proof is for another URL.');
    }
    if (accessToken !== undefined && ath !== hashSecret(accessToken)) {
      return createRefusal('The DPoP proof is for another access token.');
    }
    if (typeof jti !== 'string' || jwk === undefined) return createRefusal('The DPoP proof is malformed.');
    const thumbprint = await calculateJwkThumbprint(jwk);
    const hash = hashSecret(`${thumbprint}.${jti}`);
    const expiresAt = now + 2 * PROOF_AGE * 1000;
    const first = await lab.state.put({ kind: 'dpop', hash, payload: '{}', createdAt: now, expiresAt });
    return first ? { ok: true, thumbprint } : createRefusal('The DPoP proof was used before.');
  } catch (error) {
    if (isUnusable(error)) return createRefusal('The DPoP proof is not valid.');
    throw error;
  }
}
