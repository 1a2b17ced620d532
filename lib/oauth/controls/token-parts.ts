import { base64url, decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

/** A signed token, taken apart. */
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
    throw new CannotProbe('not_applicable', 'The token is opaque, not a JWT.');
  }
}

/** What the target signs into the token that works. @throws CannotProbe */
export const workingParts = async (probe: Probe): Promise<TokenParts> =>
  takeApart((await probe.workingToken()).accessToken);

/** The claims of a token; none when it is opaque. */
export function claimsOf(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}

/** Whether a token is a JWT: it says itself what it is worth, and nobody needs to ask the server. */
export const isJwt = (token: string): boolean => Object.keys(claimsOf(token)).length > 0;

/** Puts a token together without signing it. */
export function putTogether(header: Record<string, unknown>, claims: JWTPayload, signature: string): string {
  const encode = (value: unknown) => base64url.encode(JSON.stringify(value));
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

/**
 * A token like one that works, with other claims or header, signed with the server's own key. A claim that is undefined
 * is left out.
 * @throws CannotProbe inconclusive when the probe cannot sign with it
 */
export async function forgeLike(probe: Probe, changes: JWTPayload, header?: Record<string, unknown>): Promise<string> {
  const { forge } = probe.target.capabilities;
  const { claims } = await workingParts(probe);
  if (forge === undefined) throw new CannotProbe('inconclusive', "Only the server's own key could sign such a token.");
  return forge({ ...claims, ...changes }, header);
}
