import type { HeaderReader } from '@/lib/http/request-head';

/** The credential of a request, cookies aside. */
export type Credential =
  | { kind: 'none' }
  | { kind: 'token'; token: string }
  | { kind: 'malformed' }
  | { kind: 'conflicting' };

const ADMIN_TOKEN_HEADER = 'x-admin-token';

const BEARER = /^bearer +([\x21-\x2b\x2d-\x7e]+)$/i;
const TOKEN = /^[\x21-\x2b\x2d-\x7e]+$/;
/** Schemes of a proxy that guards the same site; they are not meant for us. */
const OF_OTHERS = /^(basic|digest|negotiate) /i;
const LONGEST = 512;

/**
 * Reads `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case) and `X-Admin-Token`. Visible ASCII
 * without commas, so that a header that was sent twice is malformed and not one of the two.
 *
 * @param headerFirst `X-Admin-Token` alone counts where both are given: a reverse proxy that asks for a decision sets it
 *   beside whatever `Authorization` its own client has sent
 */
export function readCredential(headers: HeaderReader, headerFirst: boolean): Credential {
  const authorization = headers.get('authorization');
  const own = headers.get(ADMIN_TOKEN_HEADER);
  const candidates: (string | null)[] = [];
  if (own !== null) candidates.push(TOKEN.test(own) ? own : null);
  if (authorization !== null && !(headerFirst && own !== null) && !OF_OTHERS.test(authorization)) {
    candidates.push(BEARER.exec(authorization)?.[1] ?? null);
  }
  const [first, second] = candidates;
  if (first === undefined) return { kind: 'none' };
  if (first === null || second === null || first.length > LONGEST) return { kind: 'malformed' };
  if (second !== undefined && second !== first) return { kind: 'conflicting' };
  return { kind: 'token', token: first };
}
