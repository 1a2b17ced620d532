/** Key type of an algorithm (RFC 7518 section 6.1, RFC 8037). */
export type KeyType = 'RSA' | 'EC' | 'OKP' | 'oct';

/** A signature algorithm of the JOSE registry that browsers support. */
export interface SignatureAlgorithm {
  name: string;
  kty: KeyType;
  /** The only curve that it allows. */
  crv?: string;
  meaning: string;
  /** Minimum bits of a shared secret (RFC 7518 section 3.2). */
  secretBits?: number;
}

const CURVES = { 256: 'P-256', 384: 'P-384', 512: 'P-521' } as const;

/** Algorithms that are supported for verifying and signing. `none` is not among them. */
export const ALGORITHMS: readonly SignatureAlgorithm[] = [
  ...([256, 384, 512] as const).flatMap((bits): SignatureAlgorithm[] => [
    { name: `ES${bits}`, kty: 'EC', crv: CURVES[bits], meaning: `ECDSA with ${CURVES[bits]} and SHA-${bits}` },
    { name: `RS${bits}`, kty: 'RSA', meaning: `RSA PKCS #1 v1.5 with SHA-${bits}` },
    { name: `PS${bits}`, kty: 'RSA', meaning: `RSA-PSS with SHA-${bits}` },
    {
      name: `HS${bits}`,
      kty: 'oct',
      meaning: `HMAC with SHA-${bits}: anyone who verifies can also sign`,
      secretBits: bits,
    },
  ]),
  { name: 'EdDSA', kty: 'OKP', crv: 'Ed25519', meaning: 'Edwards-curve signature with Ed25519' },
  { name: 'Ed25519', kty: 'OKP', crv: 'Ed25519', meaning: 'Edwards-curve signature with Ed25519' },
];

export function findAlgorithm(name: unknown): SignatureAlgorithm | null {
  return ALGORITHMS.find((algorithm) => algorithm.name === name) ?? null;
}
