import { findAlgorithm } from '@/lib/oauth/token/algorithms';
import type { SignedToken } from '@/lib/oauth/token/read-token';

/** Secrets from tutorials, framework defaults and lists of common passwords. Attackers try these first. */
export const COMMON_SECRETS: readonly string[] =
  `secret Secret SECRET password Password password1 123456 12345678 123456789 1234567890 qwerty letmein admin root
test testing test123 changeme change-me changeit default example demo demo-secret key mykey my-key private privatekey
jwt jwtsecret jwt-secret jwt_secret JWT_SECRET jwtSecret jwtsecretkey jwt_secret_key secretkey secret-key secret_key
SECRET_KEY secretKey mysecret my-secret mysecretkey my-secret-key my_secret_key supersecret super-secret super_secret
supersecretkey super-secret-key topsecret top-secret shhhhh shhhhhared-secret keyboard+cat your-256-bit-secret
your-384-bit-secret your-512-bit-secret your-secret your-secret-key your_jwt_secret your_secret_key token access_token
hello helloworld abc123 foobar development dev prod production none null undefined gfg_jwt_secret_key
a-string-secret-at-least-256-bits-long GuessMe iloveyou passw0rd P@ssw0rd`
    .split(/[ \n]+/)
    .map((word) => word.replace('+', ' '));

/** Returns the secret of an HMAC-signed token if it is a common one (RFC 8725 section 3.5), else null. */
export async function guessSecret({ token, header, signature }: SignedToken): Promise<string | null> {
  const algorithm = findAlgorithm(header.members?.alg);
  const { subtle } = globalThis.crypto ?? {};
  if (algorithm?.secretBits === undefined || subtle === undefined || signature.bytes === null) return null;
  const encoder = new TextEncoder();
  const signed = encoder.encode(token.slice(0, token.lastIndexOf('.')));
  const hash = `SHA-${algorithm.secretBits}`;
  for (const secret of COMMON_SECRETS) {
    const key = await subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash }, false, ['verify']);
    if (await subtle.verify('HMAC', key, Uint8Array.from(signature.bytes), signed)) return secret;
  }
  return null;
}
