import { compactVerify, decodeJwt, decodeProtectedHeader, errors, exportJWK, exportSPKI } from 'jose';
import { RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import type { RefusingControl } from '@/lib/oauth/lab/controls';
import { revocationViolation } from '@/lib/oauth/lab/revocation';
import type { LabServices } from '@/lib/oauth/lab/services';
import { SIGNING_ALGORITHM, signingKey } from '@/lib/oauth/lab/signing-key';
import type { Violation } from '@/lib/oauth/lab/violation';

/** The longest access token that is looked at, in characters. */
const TOKEN_LIMIT = 8_192;
/** How far clocks may differ, in seconds. */
const CLOCK_TOLERANCE = 5;

/** The claims of an access token (RFC 9068 section 2.2), as far as they have the right types. */
export interface AccessTokenClaims {
  issuer: string | null;
  subject: string | null;
  audience: readonly string[];
  clientId: string | null;
  scope: string;
  expiresAt: number | null;
  issuedAt: number | null;
  tokenId: string | null;
  grantId: string | null;
  /** RFC 9449 section 6: the key that the token is bound to. */
  thumbprint: string | null;
}

/** What a token says, and what is wrong with it. `claims` is null when it cannot be read at all. */
export interface AccessTokenReading {
  claims: AccessTokenClaims | null;
  violations: readonly Violation[];
}

/**
 * Checks an access token as a resource server does (RFC 9068 section 4, RFC 8725 section 3). Every check is made, also
 * after one has failed, so that all of the controls that refuse a token can be named. Only `sender-constrained` and
 * `scope-enforced` are left to the caller, who knows the request.
 */
export async function readAccessToken(token: string, lab: LabServices): Promise<AccessTokenReading> {
  const violations: Violation[] = [];
  const note = (control: RefusingControl | null, description: string) =>
    violations.push({ control, error: 'invalid_token', description, status: 401 });
  let header: ReturnType<typeof decodeProtectedHeader>;
  let payload: Record<string, unknown>;
  try {
    if (token.length > TOKEN_LIMIT) throw new TypeError('too long');
    header = decodeProtectedHeader(token);
    payload = decodeJwt(token);
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error;
    note(null, 'The access token is malformed.');
    return { claims: null, violations };
  }
  if (header.crit !== undefined) note(null, 'The access token requires an unsupported extension.');
  await checkSignature(token, header, note, lab);

  const claims = readClaims(payload);
  const now = Math.floor(lab.now() / 1000);
  if (header.typ?.toLowerCase().replace(/^application\//, '') !== 'at+jwt') {
    note('token-type-header', 'The token is not an access token: its typ is not at+jwt.');
  }
  if (claims.issuer !== lab.origin) note('issuer-validated', 'The access token is from another issuer.');
  if (!claims.audience.includes(RESOURCE_AUDIENCE)) {
    note('validate-audience', 'The access token is for another audience.');
  }
  if (claims.expiresAt === null || claims.expiresAt + CLOCK_TOLERANCE <= now) {
    note('token-expiry', 'The access token has expired.');
  }
  const notBefore = payload.nbf;
  if (notBefore !== undefined && (typeof notBefore !== 'number' || notBefore - CLOCK_TOLERANCE > now)) {
    note('not-before', 'The access token is not valid yet.');
  }
  if (claims.subject === null) note(null, 'The access token names no subject.');
  const ids = [
    ...(claims.tokenId === null ? [] : [`jti:${claims.tokenId}`]),
    ...(claims.grantId === null ? [] : [`access:${claims.grantId}`, `grant:${claims.grantId}`]),
  ];
  for (const control of await lab.state.revokedBy(ids)) violations.push(revocationViolation(control, 'invalid_token'));
  return { claims, violations };
}

type Note = (control: RefusingControl | null, description: string) => void;

/** RFC 8725 sections 3.1 and 3.2: one algorithm, one key, whatever the token says about itself. */
async function checkSignature(
  token: string,
  header: { alg?: string; kid?: string },
  note: Note,
  lab: LabServices,
): Promise<void> {
  const key = await signingKey(lab);
  const algorithm = header.alg ?? '';
  if (algorithm.toLowerCase() === 'none' || algorithm === '') {
    note('alg-none', 'The access token is not signed.');
    return;
  }
  if (/^HS\d+$/i.test(algorithm)) {
    note('alg-confusion', 'The access token is signed with a symmetric algorithm.');
    const publicKeys = [
      await exportSPKI(key.publicKey),
      JSON.stringify(key.publicJwk),
      JSON.stringify(await exportJWK(key.publicKey)),
    ];
    const secrets = publicKeys.flatMap((text) => [text, text.trim()]).map((text) => new TextEncoder().encode(text));
    for (const secret of secrets) if (await verifies(token, secret, algorithm)) return;
    note('signature-verified', 'The signature of the access token is wrong.');
    return;
  }
  if (algorithm !== SIGNING_ALGORITHM) {
    note('signature-verified', 'The access token is signed with an unexpected algorithm.');
    return;
  }
  if (header.kid !== undefined && header.kid !== key.kid) {
    note('signature-verified', 'The access token is signed with an unknown key.');
    return;
  }
  if (!(await verifies(token, key.publicKey, SIGNING_ALGORITHM))) {
    note('signature-verified', 'The signature of the access token is wrong.');
  }
}

async function verifies(token: string, key: CryptoKey | Uint8Array, algorithm: string): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
}

function readClaims(payload: Record<string, unknown>): AccessTokenClaims {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);
  const { aud, cnf } = payload;
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  const bound = typeof cnf === 'object' && cnf !== null && 'jkt' in cnf ? cnf.jkt : null;
  return {
    issuer: text(payload.iss),
    subject: text(payload.sub),
    audience: audiences.filter((audience) => typeof audience === 'string'),
    clientId: text(payload.client_id),
    scope: text(payload.scope) ?? '',
    expiresAt: number(payload.exp),
    issuedAt: number(payload.iat),
    tokenId: text(payload.jti),
    grantId: text(payload.grant_id),
    thumbprint: text(bound),
  };
}
