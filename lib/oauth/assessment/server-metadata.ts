import { explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';

/** Label of the request for the metadata, which precedes most others. */
export const METADATA_LABEL = 'Read the metadata';

/** Redirects that are followed for a published document. */
export const MOST_REDIRECTS = 3;

/** Returns the new address of a published document at the same origin, or null if it did not move. */
export function findSameOriginRedirect(exchange: Exchange, from: string): string | null {
  const location = findResponseHeader(exchange, 'location');
  const { status } = exchange.response;
  if (status < 301 || status > 308 || location === null || !URL.canParse(location, from)) return null;
  const to = new URL(location, from);
  return to.origin === new URL(from).origin ? to.href : null;
}

/** Lists the metadata addresses of an issuer (RFC 8414 section 3.1, OpenID Connect Discovery 1.0 section 4.1). */
export function listMetadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
  return [oauth, `${origin}${path}/.well-known/openid-configuration`];
}

/** Returns why an answer is not metadata, or null if it is. */
export function explainNoMetadata(exchange: Exchange): string | null {
  const { status, body } = exchange.response;
  if (status >= 300 && status < 400) return `redirects to ${findResponseHeader(exchange, 'location') ?? 'nowhere'}`;
  const wall = explainWall(exchange);
  if (wall !== null) return `gives no answer: ${wall}`;
  if (status !== 200) return `answers ${status}`;
  const { issuer } = parseResponseJson(exchange);
  if (typeof issuer === 'string' && URL.canParse(issuer)) return null;
  if (/^\s*</.test(body)) return 'answers with a page, not with JSON';
  return body.trimStart().startsWith('{') ? 'names no issuer' : 'answers with something that is no JSON object';
}
