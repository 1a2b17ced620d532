import type { IncomingMessage } from 'node:http';
import { createTooLarge } from '@/lib/http/body-limits';
import type { ErrorFields } from '@/lib/http/error-answer';
import { isHost } from '@/lib/http/header-fields';
import { FORWARDED_METHODS } from '@/lib/http/request-methods';
import { isRouterState, ROUTER_STATE } from '@/lib/http/router-state';

/** A request that a server has received: it has a method and a target. */
export type ReceivedRequest = IncomingMessage & { method: string; url: string };

/** Methods of our own routes. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const FORWARDED: ReadonlySet<string> = new Set(FORWARDED_METHODS);
/** Maximum number of header fields in a request. The server keeps one more, so that it detects longer heads. */
export const MAX_FIELDS = 200;
/** A token (RFC 9110 section 5.6.2). Node 20.12.0 also passes on names with spaces, and empty ones. */
const FIELD_NAME = /^[!#$%&'*+.^`|~\w-]+$/;

export const buildFault = (
  status: number,
  code: string,
  description: string,
  headers?: Record<string, string>,
): ErrorFields => ({
  ...{ status, code, description },
  ...(headers === undefined ? {} : { headers }),
});
export const buildBadRequest = (description: string) => buildFault(400, 'bad_request', description);

export const UNKNOWN_METHOD = buildFault(405, 'method_not_allowed', 'Unknown method.', {
  Allow: [...METHODS].join(', '),
});
const UNMET = buildFault(417, 'bad_request', 'Only the expectation 100-continue is supported.');
const BAD_ROUTER_STATE = buildBadRequest('The header Next-Router-State-Tree is not valid.');
const TOO_MANY_FIELDS = buildFault(431, 'bad_request', `The request has more than ${MAX_FIELDS} header fields.`);

/**
 * Returns the fault of a request's head, or null.
 * @param isForwarded whether the request is for the upstream, which may have more methods and other paths
 */
export function findFault(
  { method, url, headers, rawHeaders, httpVersion }: ReceivedRequest,
  isForwarded: boolean,
): ErrorFields | null {
  if (!(isForwarded ? FORWARDED : METHODS).has(method)) return UNKNOWN_METHOD;
  if (rawHeaders.length > 2 * MAX_FIELDS) return TOO_MANY_FIELDS;
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  if (!names.every((name) => FIELD_NAME.test(name))) return buildBadRequest('The name of a header is not valid.');
  if (headers.host === undefined) {
    if (httpVersion !== '1.0') return buildBadRequest('The Host header is missing.');
  } else if (!isHost(headers.host) || hasTwoHosts(names)) return buildBadRequest('The Host header is not a host.');
  if (!isTarget(url, isForwarded)) return buildBadRequest('The path is not valid.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return buildBadRequest('Only the transfer coding chunked is supported.');
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER) return createTooLarge(Number.MAX_SAFE_INTEGER);
  if (headers.expect !== undefined && httpVersion !== '1.0' && headers.expect.toLowerCase() !== '100-continue')
    return UNMET;
  const state = isForwarded ? undefined : headers[ROUTER_STATE];
  if (state !== undefined && !isRouterState(String(state))) return BAD_ROUTER_STATE;
  return null;
}

/**
 * Returns whether a target is a path and a query (RFC 9112 section 3.2.1) that every parser reads alike: visible ASCII,
 * no fragment, no NUL, and no invalid escape in the path. Our own paths must be UTF-8. Those of an upstream need not
 * be.
 */
function isTarget(target: string, isForwarded: boolean): boolean {
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(target)) return false;
  if (!target.includes('%')) return true;
  const [path = ''] = target.split('?', 1);
  if (isForwarded) return !/%(?![0-9a-f]{2})|%00/i.test(path);
  try {
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
}

function hasTwoHosts(names: readonly string[]): boolean {
  return names.filter((name) => name.length === 4 && name.toLowerCase() === 'host').length > 1;
}
