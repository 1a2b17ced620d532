import type { JWT, JWTDecodeParams } from 'next-auth/jwt';
import { hasCanonicalSegments } from '@/lib/http/base64';

/**
 * Decrypts the token of a session cookie. Returns null for another spelling of a token, which the decoder of next-auth
 * would accept.
 * @throws the error of next-auth for a token that is not valid
 */
export async function decodeSessionToken(parameters: JWTDecodeParams): Promise<JWT | null> {
  if (!hasCanonicalSegments(parameters.token ?? '')) return null;
  // Few processes of a deployment on functions ever read a session.
  const { decode } = await import('next-auth/jwt');
  return decode(parameters);
}
