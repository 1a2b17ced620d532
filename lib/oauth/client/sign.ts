import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { type ClientEnvironment, type PrivateJwk, readPrivateKey } from '@/lib/oauth/client/environment';
import type { PlannedRequest } from '@/lib/oauth/client/plan-request';
import { chooseAlgorithm } from '@/lib/oauth/client/private-key';
import type { Signatures } from '@/lib/oauth/client/wire-request';
import { hashText } from '@/lib/oauth/pkce';
import type { Seconds } from '@/lib/units';

/** Key of a DPoP client: a private JWK with `alg`, and its thumbprint (RFC 7638). */
export interface ProofKey {
  jwk: PrivateJwk;
  thumbprint: string;
}

/** Generates a key for DPoP. It exists as long as the page. */
export async function generateProofKey(): Promise<ProofKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { d = '', ...publicPart } = await exportJWK(privateKey);
  return {
    jwk: { ...publicPart, kty: 'EC', d, alg: 'ES256' },
    thumbprint: await calculateJwkThumbprint({ ...publicPart, kty: 'EC' }),
  };
}

/** Generates a key for `private_key_jwt`. Its `kid` is its thumbprint. */
export async function generateClientKey(): Promise<PrivateJwk> {
  const { jwk, thumbprint } = await generateProofKey();
  return { ...jwk, use: 'sig', kid: thumbprint };
}

/** Makes the signatures of a planned request. @throws if a key cannot sign, and TypeError if a proof lacks its key */
export async function signRequest(
  { proof, method, url, credentials }: PlannedRequest,
  { client_id: clientId, issuer: audience, key }: ClientEnvironment,
  { proofKey, now, nonce }: { proofKey: ProofKey | null; now: Seconds; nonce: string | undefined },
): Promise<Signatures> {
  const clientKey = credentials.kind === 'assertion' ? readPrivateKey(key) : null;
  const token = credentials.kind === 'token' ? credentials.token : undefined;
  if (proof && proofKey === null) throw new TypeError('There is no key to prove possession of.');
  return {
    assertion: clientKey === null ? undefined : await signClientAssertion(clientKey, { clientId, audience, now }),
    proof: proof && proofKey !== null ? await signProof(proofKey, { method, url, now, token, nonce }) : undefined,
  };
}

/** Signs a client assertion that is valid for one minute (RFC 7523 section 3). */
async function signClientAssertion(
  key: PrivateJwk,
  { clientId, audience, now }: { clientId: string; audience: string; now: Seconds },
): Promise<string> {
  const alg = chooseAlgorithm(key);
  return new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg, ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(await importJWK(key, alg));
}

interface ProofClaims {
  method: string;
  url: string;
  now: Seconds;
  /** The access token sent with the proof. */
  token?: string;
  /** The nonce that the server asked for (RFC 9449 section 8). */
  nonce?: string;
}

/** Signs a DPoP proof (RFC 9449 section 4.2). */
async function signProof({ jwk }: ProofKey, { method, url, now, token, nonce }: ProofClaims): Promise<string> {
  const claims = {
    htm: method,
    htu: url.replace(/[?#].*$/s, ''),
    jti: crypto.randomUUID(),
    iat: now,
    ...(token === undefined ? {} : { ath: await hashText(token) }),
    ...(nonce === undefined ? {} : { nonce }),
  };
  const { kty, crv, x, y } = jwk as JWK & PrivateJwk;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } as JWK })
    .sign(await importJWK(jwk, 'ES256'));
}
