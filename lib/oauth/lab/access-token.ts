import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from 'jose';
import { z } from 'zod';
import { ownResources } from '@/lib/contract/lab-paths';
import { hasCanonicalSegments } from '@/lib/http/base64';
import { noteRevocations } from '@/lib/oauth/lab/grant';
import type { Violation, Violations } from '@/lib/oauth/lab/respond';
import type { LabServices } from '@/lib/oauth/lab/services';
import { loadSigningKeys } from '@/lib/oauth/lab/signing-key';
import { spellPublicKey } from '@/lib/oauth/token/spell-public-key';

/** Length of the longest access token that is read, in characters. */
const TOKEN_LIMIT = 8_192;
/** Tolerated clock skew, in seconds. */
const CLOCK_TOLERANCE = 5;

const text = z.string().min(1).nullable().catch(null);
const number = z.number().nullable().catch(null);
const boundTo = z.object({ jkt: z.string().min(1).optional(), 'x5t#S256': z.string().min(1).optional() });

/** Claims of an access token (RFC 9068 section 2.2). A claim of the wrong type is null. */
const AccessTokenClaims = z.object({
  iss: text,
  sub: text,
  aud: z
    .unknown()
    .optional()
    .transform((aud) => [aud].flat().filter((audience) => typeof audience === 'string')),
  client_id: text,
  scope: z.string().catch(''),
  exp: number,
  iat: number,
  nbf: z.unknown().optional(),
  jti: text,
  grant_id: text,
  /** Thumbprints of the key and the certificate that the token is bound to (RFC 9449 section 6, RFC 8705 section 3.1). */
  cnf: boundTo.nullable().catch(null),
});
export type AccessTokenClaims = z.infer<typeof AccessTokenClaims>;

/**
 * Checks an access token like a resource server (RFC 9068 section 4, RFC 8725 section 3). It makes every check, even
 * after one has failed, so that the answer can name all controls that refuse a token. Only `sender-constrained` and
 * `scope-enforced` are left to the caller, which has the request.
 * @returns the claims of the token; null if it cannot be read at all
 */
export async function readAccessToken(
  token: string,
  violations: Violations,
  lab: LabServices,
): Promise<AccessTokenClaims | null> {
  const note: Note = (control, description) => violations.note(control, description, 'invalid_token');
  let header: ReturnType<typeof decodeProtectedHeader>;
  let claims: AccessTokenClaims;
  try {
    if (token.length > TOKEN_LIMIT || !hasCanonicalSegments(token)) throw new TypeError('malformed');
    header = decodeProtectedHeader(token);
    claims = AccessTokenClaims.parse(decodeJwt(token));
  } catch (error) {
    if (!isUnusable(error)) throw error;
    note(null, 'The access token is malformed.');
    return null;
  }
  if (header.crit !== undefined) note(null, 'The access token requires an unsupported extension.');
  await checkSignature(token, header, note, lab);

  const now = Math.floor(lab.now() / 1000);
  if (header.typ?.toLowerCase().replace(/^application\//, '') !== 'at+jwt') {
    note('token-type-header', 'The token is not an access token: its typ is not at+jwt.');
  }
  if (claims.iss !== lab.origin) note('issuer-validated', 'The access token is from another issuer.');
  if (!ownResources(lab.origin).some((audience) => claims.aud.includes(audience)))
    note('validate-audience', 'The access token is for another audience.');
  if (claims.exp === null || claims.exp + CLOCK_TOLERANCE <= now) note('token-expiry', 'The access token has expired.');
  if (claims.nbf !== undefined && (typeof claims.nbf !== 'number' || claims.nbf - CLOCK_TOLERANCE > now)) {
    note('not-before', 'The access token is not valid yet.');
  }
  if (claims.sub === null) note(null, 'The access token names no subject.');
  const { jti, grant_id: grant } = claims;
  const ids = [
    ...(jti === null ? [] : [`jti:${jti}`]),
    ...(grant === null ? [] : [`access:${grant}`, `grant:${grant}`]),
  ];
  await noteRevocations(ids, 'invalid_token', violations, lab);
  return claims;
}

/** Records a violation of a control. */
type Note = (control: Violation['control'], description: string) => void;

/**
 * Checks the signature with the key that the `kid` names, and with the algorithm of that key, not that of the token's
 * header (RFC 8725 sections 3.1 and 3.2). Without a `kid` it is the key of the access tokens.
 */
async function checkSignature(
  token: string,
  { alg = '', kid }: { alg?: string; kid?: string },
  note: Note,
  lab: LabServices,
): Promise<void> {
  const keys = await loadSigningKeys(lab);
  const key = keys.find((published) => kid === undefined || published.kid === kid);
  if (/^(none)?$/i.test(alg)) note('alg-none', 'The access token is not signed.');
  else if (/^HS\d+$/i.test(alg)) {
    note('alg-confusion', 'The access token is signed with a symmetric algorithm.');
    for (const { publicJwk } of keys)
      for (const { secret } of await spellPublicKey(publicJwk)) if (await isSignatureValid(token, secret, alg)) return;
    note('signature-verified', 'The signature of the access token is wrong.');
  } else if (key === undefined) {
    note('signature-verified', 'The access token is signed with an unknown key.');
  } else if (alg !== key.algorithm) {
    note('signature-verified', 'The access token is signed with an unexpected algorithm.');
  } else if (!(await isSignatureValid(token, key.publicKey, key.algorithm))) {
    note('signature-verified', 'The signature of the access token is wrong.');
  }
}

async function isSignatureValid(token: string, key: CryptoKey | Uint8Array, algorithm: string): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (isUnusable(error)) return false;
    throw error;
  }
}

/** Returns whether an error means that a token is not valid, as opposed to an internal fault. */
export function isUnusable(error: unknown): boolean {
  return error instanceof errors.JOSEError || error instanceof TypeError;
}
