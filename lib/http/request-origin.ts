import type { Config } from '@/lib/config';
import { ApiError } from '@/lib/http/api-error';
import { peerIsTrusted } from '@/lib/http/client-address';
import { isHost } from '@/lib/http/host.mjs';
import type { HeaderReader, RequestHead } from '@/lib/http/request-head';

/**
 * The origin under which the caller reached Sluice: `SLUICE_PUBLIC_URL` when it is set, else the `Host` header, with
 * what a trusted proxy says about scheme and host before it. A host that is none is passed over.
 */
export function requestOrigin(request: RequestHead, config: Config): string {
  if (config.SLUICE_PUBLIC_URL !== undefined) return config.SLUICE_PUBLIC_URL;
  const trusted = peerIsTrusted(request.headers, config);
  const first = (name: string) => (trusted ? request.headers.get(name)?.split(',')[0]?.trim() : undefined) || undefined;
  const scheme =
    first('x-forwarded-proto') === 'https' || (config.VERCEL && first('x-forwarded-proto') !== 'http')
      ? 'https'
      : 'http';
  const host = [first('x-forwarded-host'), request.headers.get('host')].find((one) => one != null && isHost(one));
  return new URL(host == null ? request.url : `${scheme}://${host}`).origin;
}

/**
 * Refuses a request whose `Host` is not one (RFC 9110 section 7.2). `server.mjs` does so for every request before
 * anybody reads it; this is for where there is no `server.mjs`. A request of HTTP/1.0 may have none.
 * @throws ApiError bad_request
 */
export function requireHost(headers: HeaderReader): void {
  const host = headers.get('host');
  if (host !== null && !isHost(host)) throw new ApiError('bad_request', 'The Host header is not a host.');
}
