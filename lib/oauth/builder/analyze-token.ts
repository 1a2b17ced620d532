import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { type DecodedToken, decodeToken } from '@/lib/oauth/builder/decode-token';
import { visibleText } from '@/lib/oauth/builder/visible-text';

type Part = Readonly<Record<string, unknown>>;

interface AnalysisContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** The keys that the issuer publishes, or null when they are not known. */
  keys: JSONWebKeySet | null;
  /** The issuer and the audience that the resource expects. */
  issuer: string;
  audience: string;
}

/** Whether the signature is right, and how that is known. */
type SignatureFinding = { state: 'verified' | 'invalid' | 'unverified'; reason: string };

export interface TokenAnalysis {
  decoded: DecodedToken;
  claims: readonly ExplainedClaim[];
  signature: SignatureFinding;
  remarks: readonly Remark[];
}

/** Algorithms whose signatures are checked: never `none`, never one with a shared secret (RFC 8725 section 3.1). */
const WITH_SHA2 = ['ES', 'PS', 'RS'].flatMap((kind) => [`${kind}256`, `${kind}384`, `${kind}512`]);
const ALGORITHMS = [...WITH_SHA2, 'EdDSA', 'Ed25519'];

/** Explains a token: each claim, the signature against the JWKS, and what RFC 9068 and RFC 8725 would say. Never throws. */
export async function analyzeToken(token: string, context: AnalysisContext): Promise<TokenAnalysis> {
  const decoded = decodeToken(token);
  if (decoded.kind !== 'jwt') {
    const isOpaque = decoded.kind === 'opaque';
    const reason = isOpaque ? 'The token is opaque: only its issuer can read it.' : 'The token cannot be read.';
    return { decoded, claims: [], signature: { state: 'unverified', reason }, remarks: [] };
  }
  const header = decoded.header.value ?? {};
  const payload = decoded.payload.value ?? {};
  return {
    decoded,
    claims: explainClaims(payload, context),
    signature: await checkSignature(token, header, context.keys),
    remarks: remarkOnToken(header, payload, context),
  };
}

async function checkSignature(token: string, header: Part, keys: JSONWebKeySet | null): Promise<SignatureFinding> {
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

/** A claim, its value as text that is safe to show, and what it means. */
interface ExplainedClaim {
  name: string;
  value: string;
  meaning: string;
  /** For `exp`: milliseconds until then, negative when it has passed. For a countdown. */
  remainingMs?: number;
}

const MEANINGS: Readonly<Record<string, string>> = {
  iss: 'Who issued the token.',
  sub: 'The subject of the token.',
  aud: 'The services that the token is for.',
  exp: 'When the token ends.',
  iat: 'When the token was issued.',
  nbf: 'When the token becomes valid.',
  jti: 'The id of this token.',
  client_id: 'The client that the token was issued to.',
  scope: 'What the token allows.',
  nonce: 'Ties an ID token to the request of the client.',
  auth_time: 'When the user signed in.',
  cnf: 'The key that the holder has to prove (RFC 7800).',
  azp: 'The client that the token was issued to (OpenID Connect).',
  acr: 'How strongly the user was authenticated.',
  amr: 'How the user was authenticated.',
  email: "The user's e-mail address.",
  email_verified: 'Whether the address was verified.',
  name: "The user's name.",
  grant_id: "The grant behind the token: tokens of one grant end together (a claim of the lab's own).",
};
const TIMES = new Set(['exp', 'iat', 'nbf', 'auth_time']);

/** Explains each claim of a payload (RFC 7519 section 4.1, RFC 9068 section 2.2). At most 100 of them. */
function explainClaims(payload: Part, context: AnalysisContext): ExplainedClaim[] {
  return Object.entries(payload)
    .slice(0, 100)
    .map(([name, value]) => {
      const own = Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined;
      const note = remarkOnClaim(name, value, context);
      const claim: ExplainedClaim = {
        name: visibleText(name.slice(0, 256)),
        value: show(name, value),
        meaning: [own ?? 'A claim of the issuer.', ...(note === null ? [] : [note])].join(' '),
      };
      if (name === 'exp' && typeof value === 'number') claim.remainingMs = value * 1000 - context.now;
      return claim;
    });
}

/** No more of a claim is shown, in UTF-16 units. */
const LONGEST = 2_048;

function show(name: string, value: unknown): string {
  const date = TIMES.has(name) && typeof value === 'number' ? new Date(value * 1000) : null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const time = date !== null && !Number.isNaN(date.getTime()) ? ` (${date.toISOString()})` : '';
  return visibleText((text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text) + time);
}

function remarkOnClaim(name: string, value: unknown, { now, issuer, audience }: AnalysisContext): string | null {
  const time = typeof value === 'number' ? value * 1000 : null;
  const second = Math.floor(now / 1000) * 1000;
  if (name === 'exp') return time !== null && time > second ? 'It has not expired.' : 'It has expired.';
  if (name === 'nbf') return time !== null && time <= second ? 'That time has passed.' : 'That time has not come.';
  if (name === 'iss') return value === issuer ? 'It is the expected issuer.' : 'It is not the expected issuer.';
  if (name !== 'aud') return null;
  const named = [value].flat().includes(audience);
  return named ? 'The data endpoint is among them.' : 'The data endpoint is not among them.';
}

type Remark = { level: 'good' | 'warning' | 'bad'; source: string; text: string };

const REQUIRED_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

/** What RFC 9068 and RFC 8725 say about an access token, as far as header and payload show it. */
function remarkOnToken(header: Part, payload: Part, { now, issuer, audience }: AnalysisContext): Remark[] {
  const { exp, iat, cnf } = payload;
  const isTyped = typeof header.typ === 'string' && /^(application\/)?at\+jwt$/i.test(header.typ);
  const algorithm = typeof header.alg === 'string' ? header.alg : '';
  const missing = REQUIRED_CLAIMS.filter((name) => !Object.hasOwn(payload, name));
  const isFor = [payload.aud].flat().includes(audience);
  const isAlive = typeof exp === 'number' && exp > Math.floor(now / 1000);
  const lifetime = typeof exp === 'number' && typeof iat === 'number' ? exp - iat : null;
  const isBound = typeof cnf === 'object' && cnf !== null;

  const remarks: Remark[] = [];
  const remark = (source: string, holds: boolean, good: string, bad: string, level: Remark['level'] = 'bad') =>
    remarks.push({ level: holds ? 'good' : level, source, text: holds ? good : bad });
  remark('RFC 8725 3.1', !/^(none)?$/i.test(algorithm), 'The token is signed.', 'The token is not signed.');
  if (/^HS/i.test(algorithm)) {
    const text = 'It is signed with a shared secret: anyone who can verify it can forge it.';
    remarks.push({ level: 'warning', source: 'RFC 8725 3.1', text });
  }
  for (const name of ['jwk', 'jku', 'x5u', 'x5c'].filter((name) => Object.hasOwn(header, name))) {
    const text = `The header carries its own key (${name}), which must not be trusted.`;
    remarks.push({ level: 'bad', source: 'RFC 8725 3.10', text });
  }
  const notTyped = 'The type is not at+jwt: it could be confused with another kind of token.';
  remark('RFC 9068 2.1', isTyped, 'The type marks it as an access token.', notTyped);
  const lacks = `Required claims are missing: ${missing.join(', ')}.`;
  remark('RFC 9068 2.2', missing.length === 0, 'Every required claim is present.', lacks);
  const isIssued = payload.iss === issuer;
  remark('RFC 9068 4', isIssued, 'The issuer is the expected one.', 'The issuer is not the expected one.');
  remark('RFC 9068 4', isFor, 'The audience includes the resource.', 'The token is for another audience.');
  remark('RFC 9068 4', isAlive, 'The token has not expired.', 'The token has expired.');
  if (lifetime !== null) {
    const lives = `It lives for ${lifetime} seconds.`;
    remark('RFC 9700 2.2', lifetime <= 900, 'It lives for 15 minutes at most.', lives, 'warning');
  }
  const unbound = 'Anyone who holds the token can use it.';
  remark('RFC 9700 2.2.1', isBound, 'The token is bound to a key.', unbound, 'warning');
  return remarks;
}
