import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** What a proof is about (RFC 9449 section 4.2). */
export interface ProofOptions {
  method: string;
  url: string;
  jti: string;
  /** Seconds since the epoch. */
  now: number;
  /** The access token that it goes with. */
  token?: string;
  nonce?: string;
  /** Other claims than the right ones; undefined leaves one out. */
  claims?: JWTPayload;
}

/** A key of a DPoP client. */
export class DpopKey {
  private constructor(
    private readonly privateKey: CryptoKey,
    private readonly jwk: JWK,
    /** The thumbprint by which tokens name the key (`cnf.jkt`). */
    readonly thumbprint: string,
  ) {}

  static async generate(): Promise<DpopKey> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const { kty, crv, x, y } = await exportJWK(publicKey);
    const jwk = { kty, crv, x, y } as JWK;
    return new DpopKey(privateKey, jwk, await calculateJwkThumbprint(jwk));
  }

  /** A proof of possession. */
  proof({ method, url, jti, now, token, nonce, claims }: ProofOptions): Promise<string> {
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
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: this.jwk })
      .sign(this.privateKey);
  }
}
