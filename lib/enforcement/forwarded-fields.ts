import { HOP_BY_HOP } from '@/lib/http/header-fields';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';

/**
 * Request fields with claims that Sluice vouches for. Upstreams trust them, so they pass only if a trusted proxy sent
 * them. A name that ends in `*` is a prefix. docs/upstream.md lists them.
 */
export const CLAIMS = {
  'the address of the client': [
    ...['forwarded', 'forwarded-for', 'x-forwarded', 'x-forwarded-*', 'x-forward-*', 'x-original-forwarded-for'],
    ...['x-real-ip', 'real-ip', 'x-client-ip', 'client-ip', 'true-client-ip', 'x-true-client-ip', 'x-true-ip'],
    ...['x-cluster-client-ip', 'x-cluster-ip', 'x-remote-ip', 'x-remote-addr', 'remote-addr', 'x-source-ip'],
    ...['x-originating-ip', 'x-proxyuser-ip', 'x-connecting-ip', 'proxy-client-ip', 'wl-proxy-client-ip'],
    ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-connecting-o2o', 'cf-pseudo-ipv4', 'fastly-client-ip'],
    ...['fastly-client', 'fly-client-ip', 'do-connecting-ip', 'x-nf-client-connection-ip', 'x-sucuri-clientip'],
    ...['incap-client-ip', 'ali-cdn-real-ip', 'cdn-src-ip', 'x-appengine-user-ip', 'x-appengine-remote-addr'],
    ...['x-envoy-external-address', 'x-envoy-internal', 'x-azure-clientip', 'x-azure-socketip'],
    ...['cloudfront-viewer-*', 'x-vercel-*', 'x-akamai-*', 'x-goog-iap-*'],
  ],
  'the origin or the path that was asked for': [
    ...['x-original-url', 'x-original-uri', 'x-original-host', 'x-original-proto', 'x-original-path', 'x-rewrite-url'],
    ...['x-host', 'x-http-host-override', 'x-scheme', 'x-url-scheme', 'x-proto', 'front-end-https', 'cf-visitor'],
    ...['cloudfront-forwarded-proto', 'fly-forwarded-*', 'x-envoy-original-*', 'x-arr-ssl', 'x-script-name'],
  ],
  'the decision of a limiter': ['x-ratelimit-*', 'x-rate-limit-*', 'ratelimit', 'ratelimit-*', 'x-quota-*', 'x-rl-*'],
} as const;

/** Fields that Sluice sets for the upstream. */
export const SET_FIELDS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', REQUEST_ID_HEADER] as const;

/**
 * Fields that are never forwarded, not even from a trusted proxy: credentials of Sluice, and fields that Next.js uses
 * internally.
 */
export const PRIVATE_FIELDS = [
  ...['x-admin-token', 'x-sluice-*'],
  ...['x-middleware-subrequest', 'x-middleware-subrequest-id', 'x-middleware-rewrite', 'x-middleware-redirect'],
  ...['x-middleware-set-cookie', 'x-middleware-skip', 'x-middleware-override-headers', 'x-middleware-next'],
  ...['x-middleware-request-*', 'x-now-route-matches', 'x-matched-path', 'x-invoke-*'],
] as const;

/** Fields that end at Sluice: hop-by-hop fields, and `Expect`, which `lib/http/request-fault.ts` handles. */
const BETWEEN_HOPS = [...HOP_BY_HOP, 'expect', 'http2-settings', 'proxy-authorization'];

/** Framing, target and key. Code reads these by their exact names, so another spelling must not reach the upstream. */
const SPELLED_ONE_WAY = ['content-length', 'host', 'transfer-encoding', 'x-api-key'];

const isClaim = createMatcher(Object.values(CLAIMS).flat());
const isWithheld = createMatcher([...BETWEEN_HOPS, ...SET_FIELDS, ...PRIVATE_FIELDS]);
const isSpelledOneWay = createMatcher(SPELLED_ONE_WAY);

/** Fields that Vercel sets itself. It overwrites values of its client. */
const isSetByVercel = createMatcher(['x-real-ip', 'x-vercel-*']);

/** Sender of a request: a client, a trusted proxy, or the platform Vercel. */
export type FieldSender = 'client' | 'proxy' | 'vercel';

/**
 * Returns whether a field of a request goes to the upstream. CGI and its successors read every character except letters
 * and digits as `_`, so `X.Forwarded_For` is `X-Forwarded-For` to them. Such spellings of a listed field never pass.
 * @param name the name in lower case
 */
export function isForwardedField(name: string, sender: FieldSender): boolean {
  const plain = name.replace(/[^a-z0-9]/g, '-');
  if (isWithheld(plain)) return false;
  if (plain !== name) return !isClaim(plain) && !isSpelledOneWay(plain);
  if (!isClaim(plain)) return true;
  return sender === 'proxy' || (sender === 'vercel' && isSetByVercel(plain));
}

/** Creates a function that returns whether a name is in a list of names and prefixes. */
function createMatcher(entries: readonly string[]): (name: string) => boolean {
  const names = new Set(entries);
  const prefixes = entries.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
