import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** Input of a proof (RFC 9449 section 4.2). */
export interface ProofOptions {
  method: string;
  url: string;
  jti: string;
  /** Seconds since the epoch. */
  now: number;
  /** The access token sent with the proof. */
  token?: string;
  nonce?: string;
  /** Claims that replace the valid ones. Undefined omits a claim. */
  claims?: JWTPayload;
  /** Header members that replace the valid ones. */
  header?: { typ: string };
}

/** A key of a DPoP client. */
export class DpopKey {
  private constructor(
    private readonly privateKey: CryptoKey,
    private readonly jwk: JWK,
    /** Thumbprint by which tokens name the key (`cnf.jkt`). */
    readonly thumbprint: string,
  ) {}

  static async generate(): Promise<DpopKey> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const { kty, crv, x, y } = await exportJWK(publicKey);
    const jwk = { kty, crv, x, y } as JWK;
    return new DpopKey(privateKey, jwk, await calculateJwkThumbprint(jwk));
  }

  /** Signs a proof of possession. */
  createProof({ method, url, jti, now, token, nonce, claims, header }: ProofOptions): Promise<string> {
    const payload = {
      htm: method,
      htu: url.replace(/[?#].*$/s, ''),
      jti,
      iat: now,
      ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
      ...(nonce === undefined ? {} : { nonce }),
      ...claims,
    };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: this.jwk, ...header })
      .sign(this.privateKey);
  }
}
