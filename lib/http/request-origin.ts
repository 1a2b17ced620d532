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
  const { headers } = request;
  const host = [forwarded(headers, config, 'x-forwarded-host'), headers.get('host')].find(
    (candidate) => candidate != null && isHost(candidate),
  );
  return new URL(host == null ? request.url : `${isSecure(headers, config) ? 'https' : 'http'}://${host}`).origin;
}

/** Whether the caller reached Sluice by TLS. */
export function isSecure(headers: HeaderReader, config: OriginSettings): boolean {
  if (config.SLUICE_PUBLIC_URL !== undefined) return config.SLUICE_PUBLIC_URL.startsWith('https:');
  const scheme = forwarded(headers, config, 'x-forwarded-proto');
  return scheme === 'https' || (config.VERCEL && scheme !== 'http');
}

/** The first value of a header that only a trusted proxy may set; undefined without one. */
function forwarded(headers: HeaderReader, config: OriginSettings, name: string): string | undefined {
  const value = headers.get(name);
  if (value === null || !peerIsTrusted(headers, config)) return undefined;
  return value.split(',')[0]?.trim() || undefined;
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
