import { compactDecrypt, decodeProtectedHeader, errors, importJWK, type JWK } from 'jose';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** The content of an encrypted token, or a sentence that says why it stays closed. */
export type Decryption = { ok: true; text: string } | { ok: false; problem: string };

/** Iterations of PBES2 that are computed. Servers refuse far fewer, since each costs them time. */
const MOST_ITERATIONS = 1_000_000;

const createFailure = (problem: string): Decryption => ({ ok: false, problem });

/** Decrypts a token (RFC 7516) with the first of the keys that opens it. Never rejects. */
export async function decryptToken(token: string, keys: readonly JWK[]): Promise<Decryption> {
  if (keys.length === 0) return createFailure('This is no private key and no secret.');
  if (globalThis.crypto?.subtle === undefined)
    return createFailure('Browsers decrypt only on pages over HTTPS or from this machine (localhost).');
  let alg: string;
  try {
    alg = String(decodeProtectedHeader(token).alg);
  } catch {
    return createFailure('The header cannot be read.');
  }
  const problems = new Set<string>();
  for (const key of keys) {
    try {
      const imported = await importJWK({ ...key, alg: undefined, use: undefined, key_ops: undefined }, alg);
      const options = { keyManagementAlgorithms: [alg], maxPBES2Count: MOST_ITERATIONS };
      const { plaintext } = await compactDecrypt(token, imported, options);
      return { ok: true, text: new TextDecoder().decode(plaintext) };
    } catch (error) {
      problems.add(explainProblem(error, alg, key));
    }
  }
  return createFailure([...problems].join(' '));
}

function explainProblem(error: unknown, alg: string, { kty, d }: JWK): string {
  const name = escapeInvisibleCharacters(alg.slice(0, 32));
  if (kty !== 'oct' && d === undefined) return 'The key is public. Only the private key opens it.';
  if (error instanceof errors.JWEDecryptionFailed)
    return 'The key does not open it: it is for another key, or damaged.';
  if (error instanceof errors.JOSENotSupported) return `${name} is not supported here: ${error.message}`;
  if (error instanceof errors.JWEInvalid) return `The token is malformed: ${error.message}`;
  return `The key does not fit ${name}.`;
}
