import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import * as base64url from 'jose/base64url';
import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from 'oauth4webapi';
import type { PrivateJwk } from '@/lib/oauth/client/environment';
import type { ClientFlow } from '@/lib/oauth/client/plan-request';
import { algorithmOf } from '@/lib/oauth/client/private-key';
import type { Seconds } from '@/lib/units';

/** The key of a DPoP client, as a private JWK with `alg`, and its thumbprint (RFC 7638). */
export interface ProofKey {
  jwk: PrivateJwk;
  thumbprint: string;
}

/** Makes a key for DPoP. It lives as long as the page. */
export async function generateProofKey(): Promise<ProofKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { d = '', ...publicPart } = await exportJWK(privateKey);
  return {
    jwk: { ...publicPart, kty: 'EC', d, alg: 'ES256' },
    thumbprint: await calculateJwkThumbprint({ ...publicPart, kty: 'EC' }),
  };
}

/** Makes a key for `private_key_jwt`, named by its thumbprint. */
export async function generateClientKey(): Promise<PrivateJwk> {
  const { jwk, thumbprint } = await generateProofKey();
  return { ...jwk, use: 'sig', kid: thumbprint };
}

/** What ties a new authorization request to this browser: state, nonce and a PKCE pair (RFC 7636, S256). */
export async function startFlow(): Promise<Pick<ClientFlow, 'state' | 'nonce' | 'codeVerifier' | 'codeChallenge'>> {
  const codeVerifier = generateRandomCodeVerifier();
  return {
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    codeVerifier,
    codeChallenge: await calculatePKCECodeChallenge(codeVerifier),
  };
}

/** A client assertion of one minute (RFC 7523 section 3). @throws where the key cannot sign */
export async function signClientAssertion(
  key: PrivateJwk,
  { clientId, audience, now }: { clientId: string; audience: string; now: Seconds },
): Promise<string> {
  const alg = algorithmOf(key);
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
  /** The access token that it goes with. */
  token?: string;
  /** What the server asked for (RFC 9449 section 8). */
  nonce?: string;
}

/** A DPoP proof (RFC 9449 section 4.2). */
export async function signProof({ jwk }: ProofKey, { method, url, now, token, nonce }: ProofClaims): Promise<string> {
  const claims = {
    htm: method,
    htu: url.replace(/[?#].*$/s, ''),
    jti: crypto.randomUUID(),
    iat: now,
    ...(token === undefined ? {} : { ath: await sha256(token) }),
    ...(nonce === undefined ? {} : { nonce }),
  };
  const { kty, crv, x, y } = jwk as JWK & PrivateJwk;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } as JWK })
    .sign(await importJWK(jwk, 'ES256'));
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(digest));
}
