import { errors, type FlattenedJWSInput, flattenedVerify, importJWK } from 'jose';
import { encode } from 'jose/base64url';
import { ALGORITHMS, findAlgorithm, type SignatureAlgorithm } from '@/lib/oauth/token/algorithms';
import { explainMismatch } from '@/lib/oauth/token/explain-mismatch';
import { countBits, describeKey, type KeyToVerify } from '@/lib/oauth/token/read-keys';
import type { SignedToken } from '@/lib/oauth/token/read-token';
import { spellPublicKey } from '@/lib/oauth/token/spell-public-key';

/** Result of a verification: whether the signature is valid, with which key, and why that key was chosen. */
export interface SignatureFinding {
  state: 'verified' | 'invalid' | 'unverified';
  reason: string;
  /** Reason for the choice of the key. */
  choice: string | null;
  /** Risks of a signature that verifies, or explanations for one that does not. */
  warnings: readonly string[];
  /** Why the key is too weak for its algorithm. */
  weakness: string | null;
}

const createFinding = (
  state: SignatureFinding['state'],
  reason: string,
  more: Partial<SignatureFinding> = {},
): SignatureFinding => ({
  state,
  reason,
  choice: null,
  warnings: [],
  weakness: null,
  ...more,
});

/** Verifies a token with keys that the caller trusts. The token names the algorithm, but the key must allow it. */
export async function verifySignature(reading: SignedToken, keys: readonly KeyToVerify[]): Promise<SignatureFinding> {
  const { alg, kid } = reading.header.members ?? {};
  if (typeof alg !== 'string') return createFinding('invalid', 'The header names no algorithm.');
  if (alg.toLowerCase() === 'none')
    return createFinding('invalid', 'The token is not signed: there is nothing to verify.');
  if (globalThis.crypto?.subtle === undefined) {
    return createFinding('unverified', 'Browsers verify only on pages over HTTPS or from this machine (localhost).');
  }
  const algorithm = findAlgorithm(alg);
  if (algorithm === null) {
    const supported = ALGORITHMS.map(({ name }) => name).join(', ');
    return createFinding('unverified', `“${alg.slice(0, 32)}” is not verified here. Known: ${supported}.`);
  }
  if (reading.signature.encoded === '') return createFinding('invalid', 'The signature is empty.');
  const { b64, crit } = reading.header.members ?? {};
  if (b64 === false && ![crit].flat().includes('b64'))
    return createFinding(
      'invalid',
      '“crit” must name “b64”: readers that ignore it verify another text (RFC 7797 section 6).',
    );
  const fitting = keys.filter((key) => explainMisfit(key, algorithm) === null);
  if (fitting.length === 0) return explainNoFittingKey(reading, keys, algorithm);
  const named = typeof kid === 'string' ? fitting.filter((key) => key.kid === kid) : [];
  const tried = named.length > 0 ? named : fitting;
  const choice = explainChoice(kid, named, fitting, keys, algorithm);
  const unnamed = typeof kid === 'string' && named.length === 0 && fitting.some((key) => key.kid !== undefined);
  const jws = buildFlattened(reading);
  const faults: string[] = [];
  for (const key of tried) {
    const weakness = findWeakness(key, algorithm);
    // jose does not verify with an RSA key that is too short.
    if (weakness !== null && algorithm.kty === 'RSA')
      return createFinding('unverified', weakness, { choice, weakness });
    const fault = await findFault(jws, key, algorithm);
    if (fault === null) {
      const warnings = [
        ...(weakness === null ? [] : [weakness]),
        ...(algorithm.secretBits === undefined ? [] : [SHARED]),
        ...(unnamed ? ['The key that verifies has another kid than the token names.'] : []),
      ];
      return createFinding('verified', `The ${alg} signature matches the ${describeKey(key)}.`, {
        choice,
        warnings,
        weakness,
      });
    }
    faults.push(fault);
  }
  if (reading.isDetached && reading.givenPayload === null)
    return createFinding(
      'unverified',
      'The payload is detached: it is not in the token. Give it to verify the signature.',
      {
        choice,
      },
    );
  const [first = ''] = faults;
  const reason = new Set(faults).size === 1 ? first : 'No key that fits verifies it.';
  const why = await explainMismatch(jws, tried, algorithm);
  return createFinding('invalid', why === null ? reason : `${reason} ${why}`, { choice });
}

/** Returns the three parts for jose. Encodes a detached payload, unless the header has `b64: false`. */
function buildFlattened({ token, header, signature, givenPayload }: SignedToken): FlattenedJWSInput {
  const [, inToken = ''] = token.split('.');
  const isUnencoded = header.members?.b64 === false;
  const payload = givenPayload === null ? inToken : isUnencoded ? givenPayload : encode(givenPayload);
  return { protected: header.encoded, payload, signature: signature.encoded };
}

/** Returns why a key cannot be used with an algorithm, or null if it can (RFC 7517 section 4, RFC 8725 section 3.1). */
function explainMisfit(key: KeyToVerify, { name, kty, crv }: SignatureAlgorithm): string | null {
  if (key.kty !== kty)
    return `${name} takes ${kty === 'oct' ? 'a shared secret' : `a key of type ${kty}`}, and this is ${key.kty === 'oct' ? 'a shared secret' : `one of type ${key.kty}`}.`;
  if (crv !== undefined && key.crv !== crv)
    return `${name} takes a key on ${crv}, and this one is on ${key.crv ?? 'no curve'}.`;
  if (key.use === 'enc') return 'The key is for encryption (use: enc).';
  const isSame =
    key.alg === undefined || key.alg === name || [key.alg, name].every((alg) => /^Ed(DSA|25519)$/.test(alg));
  return isSame ? null : `The key is for ${key.alg}, and the token says ${name}.`;
}

async function explainNoFittingKey(
  reading: SignedToken,
  keys: readonly KeyToVerify[],
  algorithm: SignatureAlgorithm,
): Promise<SignatureFinding> {
  const [first] = keys;
  if (first === undefined) return createFinding('unverified', 'There is no key to verify it with.');
  const others = keys.length > 1 ? ` Nor do the other ${keys.length - 1} keys fit.` : '';
  const reason = `${explainMisfit(first, algorithm)}${others}`;
  if (algorithm.kty !== 'oct') return createFinding('invalid', reason);
  const confused = await isSignedWithPublicKeyText(buildFlattened(reading), keys, algorithm);
  const warning = confused
    ? 'FORGED: the public key itself was used as the secret. A verifier that lets the token choose the algorithm accepts this (algorithm confusion, RFC 8725 section 2.1).'
    : 'A public key must never verify HMAC: everyone knows it (algorithm confusion, RFC 8725 section 2.1).';
  return createFinding('invalid', reason, { warnings: [warning] });
}

/** Returns whether the HMAC key is the text of a public key, in PEM or another encoding. */
async function isSignedWithPublicKeyText(
  jws: FlattenedJWSInput,
  keys: readonly KeyToVerify[],
  algorithm: SignatureAlgorithm,
): Promise<boolean> {
  for (const key of keys.slice(0, 10)) {
    for (const { secret } of await spellPublicKey(key)) {
      if (await isSignatureValid(jws, secret, algorithm.name)) return true;
    }
  }
  return false;
}

/** Lists the spellings of a public key in PEM, the usual ones first: without and with the last line break. */
export async function listKeyTexts(key: KeyToVerify): Promise<string[]> {
  const spellings = await spellPublicKey(key);
  return spellings.flatMap(({ format, secret }) => (format === 'PEM' ? [new TextDecoder().decode(secret)] : []));
}

async function isSignatureValid(jws: FlattenedJWSInput, key: CryptoKey | Uint8Array, alg: string): Promise<boolean> {
  return flattenedVerify(jws, key, { algorithms: [alg] }).then(
    () => true,
    () => false,
  );
}

/** Returns why a token does not verify with a key, or null if it does. */
async function findFault(
  jws: FlattenedJWSInput,
  key: KeyToVerify,
  { name, kty }: SignatureAlgorithm,
): Promise<string | null> {
  if (kty === 'oct' && !countBits(key)) return 'The secret is empty.';
  try {
    await flattenedVerify(jws, await importJWK(key, name), { algorithms: [name] });
    return null;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed)
      return `The signature does not match the ${describeKey(key)}.`;
    if (error instanceof errors.JOSENotSupported) return `It needs an extension that is not verified here (crit).`;
    if (error instanceof errors.JWSInvalid) return 'The token is malformed.';
    return `The ${describeKey(key)} cannot be used: it is damaged, or this browser does not know it.`;
  }
}

function explainChoice(
  kid: unknown,
  named: readonly KeyToVerify[],
  fitting: readonly KeyToVerify[],
  keys: readonly KeyToVerify[],
  { name }: SignatureAlgorithm,
): string {
  const fit = `${fitting.length} of ${keys.length} keys fit ${name}`;
  if (keys.length === 1 && named.length === 0)
    return typeof kid === 'string'
      ? 'It is the only key given; the token’s kid was not compared.'
      : 'It is the only key given.';
  if (named.length > 0) return `The token names this key by its kid. ${fit}.`;
  return typeof kid === 'string'
    ? `No key that fits has the kid of the token, so each was tried: ${fit}.`
    : `The token names no kid, so each was tried: ${fit}.`;
}

const SHARED = 'Anyone who can verify this token can also forge it, with the same secret.';

/** Returns why a key is too weak (RFC 7518 sections 3.2 and 3.3): minimum bits of a secret and of an RSA key. */
function findWeakness(key: KeyToVerify, { name, kty, secretBits }: SignatureAlgorithm): string | null {
  const fewest = kty === 'RSA' ? 2048 : (secretBits ?? 0);
  const bits = countBits(key) ?? fewest;
  if (bits >= fewest) return null;
  return `The ${kty === 'RSA' ? 'key' : 'secret'} has ${bits} bits; ${name} needs ${fewest} (RFC 7518 section ${kty === 'RSA' ? '3.3' : '3.2'}).`;
}
