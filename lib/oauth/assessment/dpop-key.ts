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
  header?: ProofHeader;
}

/** Members of the header of a proof. */
export interface ProofHeader {
  typ?: string;
  /** Extensions that the verifier must understand (RFC 7515 section 4.1.11), by their name. */
  critical?: Readonly<Record<string, unknown>>;
  /** Adds the private key, which a proof must not have (RFC 9449 section 4.3). */
  hasPrivateKey?: boolean;
}

/** A key of a DPoP client. */
export class DpopKey {
  private constructor(
    private readonly privateKey: CryptoKey,
    private readonly jwk: JWK,
    private readonly secret: string | undefined,
    /** Thumbprint by which tokens name the key (`cnf.jkt`). */
    readonly thumbprint: string,
  ) {}

  static async generate(): Promise<DpopKey> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const { kty, crv, x, y } = await exportJWK(publicKey);
    const { d } = await exportJWK(privateKey);
    const jwk = { kty, crv, x, y } as JWK;
    return new DpopKey(privateKey, jwk, d, await calculateJwkThumbprint(jwk));
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
    const { typ = 'dpop+jwt', critical, hasPrivateKey = false } = header ?? {};
    const names = Object.keys(critical ?? {});
    const jwk = hasPrivateKey ? { ...this.jwk, d: this.secret } : this.jwk;
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ, jwk, ...critical, ...(names.length === 0 ? {} : { crit: names }) })
      .sign(this.privateKey, { crit: Object.fromEntries(names.map((name) => [name, true])) });
  }
}
