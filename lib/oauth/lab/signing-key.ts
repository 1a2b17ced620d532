import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { findClient, isPublic } from '@/lib/oauth/lab/clients';
import type { KeyUse, LabServices, LabState, StoredKey } from '@/lib/oauth/lab/services';

/** Algorithms of the lab's keys. Every OpenID provider offers RS256 for ID tokens (OpenID Connect Core section 15.1). */
export const SIGNING_ALGORITHMS = { signing: 'ES256', 'id-token': 'RS256' } as const;

interface SigningKey {
  kid: string;
  algorithm: (typeof SIGNING_ALGORITHMS)[KeyUse];
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  /** Public key as the JWKS publishes it (RFC 7517), with kid, alg and use. */
  publicJwk: JWK;
}

const loaded: Readonly<Record<KeyUse, WeakMap<LabState, Promise<SigningKey>>>> = {
  signing: new WeakMap(),
  'id-token': new WeakMap(),
};

/**
 * Returns a signing key of the lab, the same in every process. It is created at the first use and stored in a table of
 * the lab.
 */
export function loadSigningKey(lab: LabServices, use: KeyUse = 'signing'): Promise<SigningKey> {
  const existing = loaded[use].get(lab.state);
  if (existing !== undefined) return existing;
  const loading = load(lab, use);
  loaded[use].set(lab.state, loading);
  loading.catch(() => loaded[use].delete(lab.state));
  return loading;
}

/** Returns every key that the lab publishes, that of the access tokens first. */
export const loadSigningKeys = (lab: LabServices): Promise<SigningKey[]> =>
  Promise.all([loadSigningKey(lab, 'signing'), loadSigningKey(lab, 'id-token')]);

async function load(lab: LabServices, use: KeyUse): Promise<SigningKey> {
  const stored = await lab.state.signingKey(use, () => makeKey(lab, use));
  const algorithm = SIGNING_ALGORITHMS[use];
  const jwk: JWK = JSON.parse(stored.jwk);
  const { kty, crv, x, y, n, e } = jwk;
  const numbers = kty === 'RSA' ? { n, e } : { crv, x, y };
  const publicJwk: JWK = { kty, ...numbers, kid: stored.kid, alg: algorithm, use: 'sig' };
  const [privateKey, publicKey] = await Promise.all([importJWK(jwk, algorithm), importJWK(publicJwk, algorithm)]);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) {
    throw new TypeError('The stored signing key is not an asymmetric key.');
  }
  return { kid: stored.kid, algorithm, privateKey, publicKey, publicJwk };
}

async function makeKey(lab: LabServices, use: KeyUse): Promise<StoredKey> {
  const pair = await generateKeyPair(SIGNING_ALGORITHMS[use], { extractable: true });
  const jwk = await exportJWK(pair.privateKey);
  return { kid: await calculateJwkThumbprint(jwk), jwk: JSON.stringify(jwk), createdAt: lab.now() };
}

/** Describes the lab to enforcement: how to identify a client, and how to verify an access token. */
export function createLabIdentity(lab: Omit<LabServices, 'origin'>) {
  return {
    clientType(origin: string, id: string): 'public' | 'confidential' {
      return isPublic(findClient(origin, id)) ? 'public' : 'confidential';
    },
    async verificationKey(origin: string): Promise<{ key: CryptoKey; algorithm: string }> {
      const { publicKey, algorithm } = await loadSigningKey({ ...lab, origin });
      return { key: publicKey, algorithm };
    },
  };
}
