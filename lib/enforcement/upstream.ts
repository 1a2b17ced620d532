import type { Config } from '@/lib/config';
import { clientAddress, PEER_HEADER, peerAddress, peerIsTrusted } from '@/lib/http/client-address';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';
import { requestOrigin } from '@/lib/http/request-origin';

/**
 * A request as it is passed on: same path and query at the upstream's origin, the forwarded chain as far as it is
 * believed, the request id, and nothing of Sluice's own: neither admin token nor the console's cookies.
 */
export function upstreamRequest(
  request: Request,
  upstream: string,
  config: Config,
  requestId: string,
): { url: URL; headers: Headers } {
  const from = new URL(request.url);
  const url = new URL(upstream);
  // Set part by part: a path like `//other.example` must not become a host.
  url.pathname = from.pathname;
  url.search = from.search;
  const headers = new Headers(request.headers);
  const peer = peerAddress(request.headers)?.text ?? clientAddress(request.headers, config)?.text;
  const chain = peerIsTrusted(request.headers, config) ? headers.get('x-forwarded-for') : null;
  headers.delete(PEER_HEADER);
  headers.delete('x-admin-token');
  withoutSession(headers);
  if (peer === undefined) headers.delete('x-forwarded-for');
  else headers.set('x-forwarded-for', chain === null || chain === peer ? peer : `${chain}, ${peer}`);
  const origin = new URL(requestOrigin(request, config));
  headers.set('x-forwarded-host', origin.host);
  headers.set('x-forwarded-proto', origin.protocol.slice(0, -1));
  headers.set(REQUEST_ID_HEADER, requestId);
  return { url, headers };
}

/** Takes the console's sign-in out of the cookies: whoever holds it could administer Sluice. */
function withoutSession(headers: Headers): void {
  const cookie = headers.get('cookie');
  if (cookie === null || !cookie.includes('next-auth.')) return;
  const others = cookie.split(';').filter((part) => !/^\s*(?:__Secure-|__Host-)?next-auth\./.test(part));
  if (others.length === 0) headers.delete('cookie');
  else headers.set('cookie', others.join(';').trim());
}
