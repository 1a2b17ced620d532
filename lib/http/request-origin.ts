import { ApiError } from '@/lib/http/api-error';
import { type ProxySettings, peerIsTrusted } from '@/lib/http/client-address';
import { isHost } from '@/lib/http/header-fields';
import type { HeaderReader, RequestHead } from '@/lib/http/request-head';

export interface OriginSettings extends ProxySettings {
  readonly SLUICE_PUBLIC_URL?: string | undefined;
}

/**
 * The origin under which the caller reached Sluice: `SLUICE_PUBLIC_URL` when it is set, else scheme and host as a trusted
 * proxy forwards them, else the `Host` header. Invalid hosts are ignored.
 */
export function requestOrigin(request: RequestHead, config: OriginSettings): string {
  if (config.SLUICE_PUBLIC_URL !== undefined) return config.SLUICE_PUBLIC_URL;
  const trusted = peerIsTrusted(request.headers, config);
  const first = (name: string) => (trusted ? request.headers.get(name)?.split(',')[0]?.trim() : undefined) || undefined;
  const scheme = first('x-forwarded-proto');
  const isSecure = scheme === 'https' || (config.VERCEL && scheme !== 'http');
  const host = [first('x-forwarded-host'), request.headers.get('host')].find(
    (candidate) => candidate != null && isHost(candidate),
  );
  return new URL(host == null ? request.url : `${isSecure ? 'https' : 'http'}://${host}`).origin;
}

/**
 * Refuses a request with an invalid `Host` (RFC 9110 section 7.2), for deployments without `server.mjs`, which checks it
 * first. A request of HTTP/1.0 may have none.
 * @throws ApiError bad_request
 */
export function requireHost(headers: HeaderReader): void {
  const host = headers.get('host');
  if (host !== null && !isHost(host)) throw new ApiError('bad_request', 'The Host header is not a host.');
}
