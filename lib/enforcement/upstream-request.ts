import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';
import { clientAddress, PEER_HEADER, peerAddress, peerIsTrusted } from '@/lib/http/client-address';
import { connectionOptions, HOP_BY_HOP } from '@/lib/http/header-fields.mjs';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';
import { type OriginSettings, requestOrigin } from '@/lib/http/request-origin';

export interface UpstreamSettings extends OriginSettings {
  readonly SLUICE_ADMIN_TOKEN?: string | undefined;
}

/** What stays between the client and Sluice: hop-by-hop fields, and `Expect`, which `server/door.mjs` handles. */
const NOT_FORWARDED = [...HOP_BY_HOP, 'expect', 'http2-settings', 'proxy-authorization'];

/** Framing and target: a client's `Connection` cannot make them hop-by-hop. */
const END_TO_END = new Set(['content-length', 'host', 'transfer-encoding']);

/** Only Sluice may send these to the upstream. */
const OURS = [
  PEER_HEADER,
  'x-admin-token',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  REQUEST_ID_HEADER,
];

const WITHHELD = new Set([...NOT_FORWARDED, ...END_TO_END, ...OURS]);

/** A field name (RFC 9110 section 5.6.2); an option of `Connection` need not be one. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * The request to the upstream: same path and query at the upstream's origin, the trusted part of the forwarded chain and
 * the request id, without Sluice's own admin tokens and cookies. The sender adds the framing (`Content-Length`,
 * `Transfer-Encoding`).
 */
export function upstreamRequest(
  request: Request,
  upstream: string,
  config: UpstreamSettings,
  requestId: string,
): { url: URL; headers: Headers } {
  const from = new URL(request.url);
  const url = new URL(upstream);
  // Set part by part: a path like `//other.example` must not become a host.
  url.pathname = from.pathname;
  url.search = from.search;
  // The client's fields first, then ours: a name in its `Connection` cannot remove ours.
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
 * The client's fields for the upstream: without hop-by-hop fields, those that `Connection` names, and ours. `_` is read
 * as `-`: CGI and its successors do not distinguish `X_Forwarded_For` from `X-Forwarded-For`.
 */
function endToEnd(received: Headers): Headers {
  const headers = new Headers(received);
  for (const name of connectionOptions(received.get('connection'))) {
    if (TOKEN.test(name) && !END_TO_END.has(name)) headers.delete(name);
  }
  for (const name of [...headers.keys()]) {
    if (name.includes('_') && WITHHELD.has(name.replaceAll('_', '-'))) headers.delete(name);
  }
  for (const name of [...NOT_FORWARDED, ...OURS]) headers.delete(name);
  return headers;
}

/** Removes an admin token from `Authorization`, in any scheme; credentials of the upstream stay. */
function withoutAdminToken(headers: Headers, { SLUICE_ADMIN_TOKEN: bootstrap }: UpstreamSettings): void {
  const words = (headers.get('authorization') ?? '').split(/[\s,]+/);
  const isOurs = (word: string) =>
    word.startsWith('slt_') || (bootstrap !== undefined && isConfiguredSecret(digestSecret(word), bootstrap));
  if (words.some(isOurs)) headers.delete('authorization');
}

/** Removes the console's session cookies: with them the upstream could administer Sluice. */
function withoutSession(headers: Headers): void {
  const cookie = headers.get('cookie');
  if (cookie === null || !cookie.includes('next-auth.')) return;
  const others = cookie.split(';').filter((part) => !/^\s*(?:__Secure-|__Host-)?next-auth\./.test(part));
  if (others.length === 0) headers.delete('cookie');
  else headers.set('cookie', others.join(';').trim());
}
