import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { findClient, isPublic } from '@/lib/oauth/lab/clients';
import type { LabServices, LabState, StoredKey } from '@/lib/oauth/lab/services';

export const SIGNING_ALGORITHM = 'ES256';

interface SigningKey {
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  /** Public key as the JWKS publishes it (RFC 7517), with kid, alg and use. */
  publicJwk: JWK;
}

const loaded = new WeakMap<LabState, Promise<SigningKey>>();

/**
 * Returns the lab's signing key, the same in every process. It is created at the first use and stored in a table of the
 * lab.
 */
export function loadSigningKey(lab: LabServices): Promise<SigningKey> {
  const existing = loaded.get(lab.state);
  if (existing !== undefined) return existing;
  const loading = load(lab);
  loaded.set(lab.state, loading);
  loading.catch(() => loaded.delete(lab.state));
  return loading;
}

async function load(lab: LabServices): Promise<SigningKey> {
  const stored = await lab.state.signingKey(() => makeKey(lab));
  const jwk: JWK = JSON.parse(stored.jwk);
  const { kty, crv, x, y } = jwk;
  const publicJwk: JWK = { kty, crv, x, y, kid: stored.kid, alg: SIGNING_ALGORITHM, use: 'sig' };
  const [privateKey, publicKey] = await Promise.all([
    importJWK(jwk, SIGNING_ALGORITHM),
    importJWK(publicJwk, SIGNING_ALGORITHM),
  ]);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) {
    throw new TypeError('The stored signing key is not an asymmetric key.');
  }
  return { kid: stored.kid, privateKey, publicKey, publicJwk };
}

async function makeKey(lab: LabServices): Promise<StoredKey> {
  const pair = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
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
      const { publicKey } = await loadSigningKey({ ...lab, origin });
      return { key: publicKey, algorithm: SIGNING_ALGORITHM };
    },
  };
}
