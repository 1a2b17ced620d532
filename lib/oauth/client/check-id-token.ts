import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import * as base64url from 'jose/base64url';
import { type ClientCheck, check, createUnchecked } from '@/lib/oauth/client/client-check';
import { readClaims } from '@/lib/oauth/token/read-token';
import type { Seconds } from '@/lib/units';

interface IdTokenContext {
  issuer: string;
  clientId: string;
  /** The nonce that was sent. Null if none was sent, as in a refresh. */
  nonce: string | null;
  accessToken: string;
  /** Keys that the server publishes. Null if they could not be read. */
  keys: JSONWebKeySet | null;
  /** Secret of a confidential client, for symmetric algorithms. Empty for other clients. */
  secret: string;
  now: Seconds;
}

/** Tolerated clock skew, in seconds. */
const SKEW = 60;

const SOURCE = 'OpenID Connect Core 3.1.3.7';

/** Makes the checks that OpenID Connect Core section 3.1.3.7 requires for an ID token. Never throws. */
export async function checkIdToken(token: string, context: IdTokenContext): Promise<ClientCheck[]> {
  const claims = readClaims(token);
  if (claims === null) return [createUnchecked('ID token', SOURCE, 'The ID token is encrypted or not readable.')];
  const { issuer, clientId, nonce, now } = context;
  const audience = [claims.aud].flat();
  const readTime = (name: string) => (typeof claims[name] === 'number' ? claims[name] : null);
  const exp = readTime('exp');
  const iat = readTime('iat');
  return [
    await checkSignature(token, context),
    check('ID token iss', SOURCE, claims.iss === issuer, 'Issued by this server.', 'Issued by another server.'),
    check(
      'ID token aud',
      SOURCE,
      audience.includes(clientId) && (audience.length === 1 || claims.azp === clientId),
      'Issued to this client.',
      'Issued to another client, or to several without azp.',
    ),
    check('ID token exp', SOURCE, exp !== null && exp > now - SKEW, 'Has not expired.', 'Has expired, or never does.'),
    check('ID token iat', SOURCE, iat !== null && iat < now + SKEW, 'Issued in the past.', 'Issued in the future.'),
    nonce === null
      ? createUnchecked('ID token nonce', SOURCE, 'No nonce was sent with this request.')
      : check(
          'ID token nonce',
          SOURCE,
          claims.nonce === nonce,
          'The nonce is the one that this page sent.',
          'The nonce is not the one that this page sent: the token may be replayed.',
        ),
    await checkHash(token, claims.at_hash, context.accessToken),
  ];
}

/**
 * Verifies the signature with the server's published keys or, for HMAC algorithms such as HS256, with the client
 * secret.
 */
async function checkSignature(token: string, { keys, secret }: IdTokenContext): Promise<ClientCheck> {
  const about = ['ID token signature', SOURCE] as const;
  const algorithm = readAlgorithm(token);
  const shared = algorithm.startsWith('HS');
  if (shared ? secret === '' : keys === null)
    return createUnchecked(...about, `There is no key to check ${algorithm || 'it'} with.`);
  try {
    if (shared) await compactVerify(token, new TextEncoder().encode(secret), { algorithms: [algorithm] });
    else await compactVerify(token, createLocalJWKSet(keys ?? { keys: [] }));
    return check(...about, true, `Verified (${algorithm}).`, '');
  } catch {
    return check(...about, false, '', 'No published key verifies it.');
  }
}

function readAlgorithm(token: string): string {
  try {
    return decodeProtectedHeader(token).alg ?? '';
  } catch {
    return '';
  }
}

/** Compares `at_hash` with the left half of the access token's hash (OpenID Connect Core section 3.1.3.6). */
async function checkHash(token: string, hash: unknown, accessToken: string): Promise<ClientCheck> {
  const about = ['ID token at_hash', 'OpenID Connect Core 3.1.3.8'] as const;
  if (typeof hash !== 'string')
    return createUnchecked(...about, 'The ID token has no at_hash; with a code it need not.');
  const algorithm = readAlgorithm(token);
  const size = algorithm.endsWith('384') ? 384 : /512|^Ed/.test(algorithm) ? 512 : 256;
  const digest = await crypto.subtle.digest(`SHA-${size}`, new TextEncoder().encode(accessToken));
  const half = base64url.encode(new Uint8Array(digest).slice(0, size / 16));
  return check(...about, hash === half, 'Belongs to this access token.', 'Does not belong to this access token.');
}
