import { base64url, decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

/** A decoded signed token. */
export interface TokenParts {
  header: Record<string, unknown>;
  claims: JWTPayload;
  signature: string;
}

/** Decodes a JWT. @throws CannotProbe not_applicable if the token is opaque */
export function takeApart(token: string): TokenParts {
  const signature = token.split('.')[2];
  try {
    if (signature === undefined) throw new TypeError('not a JWS');
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token), signature };
  } catch {
    throw new CannotProbe('not_applicable', 'The token is opaque, not a JWT.');
  }
}

/** Decodes the working token. @throws CannotProbe */
export const decodeWorkingToken = async (probe: Probe): Promise<TokenParts> =>
  takeApart((await probe.requireWorkingToken()).accessToken);

/** Returns the claims of a token. Returns none if it is opaque. */
export function decodeClaims(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}

/** Returns whether a token is a JWT, which can be verified without asking the server. */
export const isJwt = (token: string): boolean => Object.keys(decodeClaims(token)).length > 0;

/** Returns the scope that a JWT names (RFC 9068 section 2.2.3; some servers call it `scp`), or null. */
export function readScope(token: string): string | null {
  const { scope, scp } = decodeClaims(token);
  if (typeof scope === 'string') return scope;
  return Array.isArray(scp) ? scp.join(' ') : typeof scp === 'string' ? scp : null;
}

/** Assembles a token without signing it. */
export function putTogether(header: Record<string, unknown>, claims: JWTPayload, signature: string): string {
  const encode = (value: unknown) => base64url.encode(JSON.stringify(value));
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

/**
 * Forges a token like a working one, with other claims or header, signed with the server's own key. An undefined claim
 * is omitted.
 * @throws CannotProbe inconclusive if the probe cannot sign with that key
 */
export async function forgeLike(probe: Probe, changes: JWTPayload, header?: Record<string, unknown>): Promise<string> {
  const { forge } = probe.target.capabilities;
  const { claims } = await decodeWorkingToken(probe);
  if (forge === undefined) throw new CannotProbe('inconclusive', "Only the server's own key could sign such a token.");
  return forge({ ...claims, ...changes }, header);
}
