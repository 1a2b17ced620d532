import { base64url, decodeJwt, decodeProtectedHeader, type JWK, type JWTPayload } from 'jose';
import { responseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, required } from '@/lib/oauth/assessment/verdict';

export interface TokenParts {
  header: Record<string, unknown>;
  claims: JWTPayload;
  signature: string;
}

/** Takes a JWT apart. @throws CannotProbe not_applicable when the token is opaque */
export function takeApart(token: string): TokenParts {
  const signature = token.split('.')[2];
  try {
    if (signature === undefined) throw new TypeError('not a JWS');
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token), signature };
  } catch {
    throw new CannotProbe('not_applicable', 'The access token is opaque, not a JWT.');
  }
}

/** Puts a token together without signing it. */
export function putTogether(header: Record<string, unknown>, claims: JWTPayload, signature: string): string {
  const encode = (value: unknown) => base64url.encode(JSON.stringify(value));
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

/**
 * A token like one that works, with other claims or type, signed with the server's own key.
 * @throws CannotProbe inconclusive when the probe cannot sign with it
 */
export async function forgeLike(probe: Probe, changes: JWTPayload, header?: { typ?: string }): Promise<string> {
  const forge = required(probe.target.capabilities.forge, "Only the server's own key could sign such a token.");
  const { claims } = takeApart((await probe.workingToken()).accessToken);
  return forge({ ...claims, ...changes }, header);
}

/** The keys that a server publishes (RFC 7517). @throws CannotProbe not_applicable when it names no JWKS */
export async function publishedKeys(probe: Probe): Promise<JWK[]> {
  const exchange = await probe.send('Read the published keys', await probe.endpoint('jwks_uri'));
  const { keys } = responseJson(exchange);
  const isKey = (key: unknown): key is JWK => typeof key === 'object' && key !== null && 'kty' in key;
  return Array.isArray(keys) ? keys.filter(isKey) : [];
}
