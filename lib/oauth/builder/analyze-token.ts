import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { type DecodedToken, decodeToken } from '@/lib/oauth/builder/decode-token';
import { type ExplainedClaim, explainClaims } from '@/lib/oauth/builder/explain-claims';
import { type Remark, remarkOnToken } from '@/lib/oauth/builder/remark-on-token';

/** What a token is analysed with. */
export interface AnalysisContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** The keys that the issuer publishes, or null when they are not known. */
  keys: JSONWebKeySet | null;
  /** The issuer and the audience that the resource expects. */
  issuer: string;
  audience: string;
}

/** Whether the signature is right, and how that is known. */
interface SignatureFinding {
  state: 'verified' | 'invalid' | 'unverified';
  reason: string;
}

/** Everything that the builder says about a token. */
export interface TokenAnalysis {
  decoded: DecodedToken;
  claims: readonly ExplainedClaim[];
  signature: SignatureFinding;
  remarks: readonly Remark[];
}

/** Algorithms whose signatures are checked: never `none`, never one with a shared secret (RFC 8725 section 3.1). */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
];

/** Explains a token: each claim, the signature against the JWKS, and what RFC 9068 and RFC 8725 would say. Never throws. */
export async function analyzeToken(token: string, context: AnalysisContext): Promise<TokenAnalysis> {
  const decoded = decodeToken(token);
  if (decoded.kind !== 'jwt') {
    const reason =
      decoded.kind === 'opaque' ? 'The token is opaque: only its issuer can read it.' : 'The token cannot be read.';
    return { decoded, claims: [], signature: { state: 'unverified', reason }, remarks: [] };
  }
  return {
    decoded,
    claims: explainClaims(decoded.payload.value ?? {}, context),
    signature: await checkSignature(token, decoded.header.value ?? {}, context.keys),
    remarks: remarkOnToken(decoded.header.value ?? {}, decoded.payload.value ?? {}, context),
  };
}

async function checkSignature(
  token: string,
  header: Readonly<Record<string, unknown>>,
  keys: JSONWebKeySet | null,
): Promise<SignatureFinding> {
  if (keys === null) return { state: 'unverified', reason: 'The keys of the issuer are not known.' };
  if (typeof header.alg !== 'string' || header.alg.toLowerCase() === 'none') {
    return { state: 'invalid', reason: 'The token is not signed.' };
  }
  try {
    const { protectedHeader } = await compactVerify(token, createLocalJWKSet(keys), { algorithms: ALGORITHMS });
    return { state: 'verified', reason: `Verified with a published key (${protectedHeader.alg}).` };
  } catch (error) {
    return { state: 'invalid', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWKSNoMatchingKey) return 'No published key matches the token.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm is not one that a public key verifies.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature does not match.';
  return 'The signature cannot be checked.';
}
