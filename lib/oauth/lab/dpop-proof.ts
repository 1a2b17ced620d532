import { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify } from 'jose';
import { hashSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';

/** Algorithms that proofs may be signed with. */
export const DPOP_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];
/** How old a proof may be, in seconds. */
const PROOF_AGE = 60;

/** The thumbprint of the key that a proof proves, or a sentence about what is wrong with the proof. */
export type ProofReading = { ok: true; thumbprint: string } | { ok: false; problem: string };

/**
 * Checks a DPoP proof (RFC 9449 section 4.3). Each proof works once.
 * @param accessToken the token that the proof goes with, at a resource server
 */
export async function checkDpopProof(
  proof: string,
  request: Request,
  lab: LabServices,
  accessToken?: string,
): Promise<ProofReading> {
  const refusal = (problem: string): ProofReading => ({ ok: false, problem });
  try {
    const now = lab.now();
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: DPOP_ALGORITHMS,
      currentDate: new Date(now),
      maxTokenAge: PROOF_AGE,
      clockTolerance: 5,
      requiredClaims: ['jti', 'iat', 'htm', 'htu'],
    });
    if (payload.htm !== request.method) return refusal('The DPoP proof is for another method.');
    if (payload.htu !== lab.origin + new URL(request.url).pathname)
      return refusal('The DPoP proof is for another URL.');
    if (accessToken !== undefined && payload.ath !== hashSecret(accessToken)) {
      return refusal('The DPoP proof is for another access token.');
    }
    if (typeof payload.jti !== 'string' || protectedHeader.jwk === undefined)
      return refusal('The DPoP proof is malformed.');
    const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk);
    const first = await lab.state.putOnce({
      kind: 'dpop',
      hash: hashSecret(`${thumbprint}.${payload.jti}`),
      payload: '{}',
      createdAt: now,
      expiresAt: now + 2 * PROOF_AGE * 1000,
    });
    return first ? { ok: true, thumbprint } : refusal('The DPoP proof was used before.');
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return refusal('The DPoP proof is not valid.');
    throw error;
  }
}
