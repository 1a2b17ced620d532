import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';
import type { Config } from '@/lib/config';
import { clientAddress, PEER_HEADER, peerAddress, peerIsTrusted } from '@/lib/http/client-address';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';
import { requestOrigin } from '@/lib/http/request-origin';

/** Fields of one connection (RFC 9110 section 7.6.1), and `Expect`, which was met at the door. */
const OF_THE_CONNECTION = [
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
];

/** How long the body is and whom the request is for: nothing that a client could make a field of one connection. */
const OF_THE_MESSAGE = new Set(['content-length', 'host', 'transfer-encoding']);

/** Fields that only Sluice may send to the upstream. */
const OURS = [
  PEER_HEADER,
  'x-admin-token',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  REQUEST_ID_HEADER,
];

const WITHHELD = new Set([...OF_THE_CONNECTION, ...OF_THE_MESSAGE, ...OURS]);

/** What can be the name of a field (RFC 9110 section 5.6.2); an option of `Connection` need not be one. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** How an admin token starts. */
const TOKEN_PREFIX = 'slt_';

/**
 * A request as it is passed on: same path and query at the upstream's origin, the forwarded chain as far as it is
 * believed, the request id, and nothing of Sluice's own: neither admin tokens nor the console's cookies. Its framing
 * (`Content-Length`, `Transfer-Encoding`) is left to whoever sends it.
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
  // First what the client may decide, then what it may not: a name in its `Connection` cannot take ours away.
  const headers = endToEnd(request.headers);
  withoutAdminToken(headers, config);
  withoutSession(headers);
  const peer = peerAddress(request.headers, config)?.text ?? clientAddress(request.headers, config)?.text;
  const chain = peerIsTrusted(request.headers, config) ? request.headers.get('x-forwarded-for') : null;
  if (peer !== undefined) headers.set('x-forwarded-for', chain === null || chain === peer ? peer : `${chain}, ${peer}`);
  const origin = new URL(requestOrigin(request, config));
  headers.set('x-forwarded-host', origin.host);
  headers.set('x-forwarded-proto', origin.protocol.slice(0, -1));
  headers.set(REQUEST_ID_HEADER, requestId);
  return { url, headers };
}

/**
 * The fields that are for the upstream, without those of this connection and those that the client's `Connection` names,
 * and without ours. `_` is read as `-`: CGI and its heirs cannot tell `X_Forwarded_For` from `X-Forwarded-For`.
 */
function endToEnd(received: Headers): Headers {
  const headers = new Headers(received);
  for (const option of (received.get('connection') ?? '').split(',')) {
    const name = option.trim().toLowerCase();
    if (TOKEN.test(name) && !OF_THE_MESSAGE.has(name)) headers.delete(name);
  }
  for (const name of [...headers.keys()]) {
    if (name.includes('_') && WITHHELD.has(name.replaceAll('_', '-'))) headers.delete(name);
  }
  for (const name of [...OF_THE_CONNECTION, ...OURS]) headers.delete(name);
  return headers;
}

/** Takes an admin token out of `Authorization`, in whatever scheme; what is meant for the upstream stays. */
function withoutAdminToken(headers: Headers, { SLUICE_ADMIN_TOKEN: bootstrap }: Config): void {
  const words = (headers.get('authorization') ?? '').split(/[\s,]+/);
  const isOurs = (word: string) =>
    word.startsWith(TOKEN_PREFIX) || (bootstrap !== undefined && isConfiguredSecret(digestSecret(word), bootstrap));
  if (words.some(isOurs)) headers.delete('authorization');
}

/** Takes the console's sign-in out of the cookies: whoever holds it could administer Sluice. */
function withoutSession(headers: Headers): void {
  const cookie = headers.get('cookie');
  if (cookie === null || !cookie.includes('next-auth.')) return;
  const others = cookie.split(';').filter((part) => !/^\s*(?:__Secure-|__Host-)?next-auth\./.test(part));
  if (others.length === 0) headers.delete('cookie');
  else headers.set('cookie', others.join(';').trim());
}
