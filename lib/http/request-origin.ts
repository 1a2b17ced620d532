import { ApiError } from '@/lib/http/api-error';
import { hasTrustedPeer, type ProxySettings } from '@/lib/http/client-address';
import { isHost } from '@/lib/http/header-fields';
import type { HeaderReader, RequestHead } from '@/lib/http/request-head';

export interface OriginSettings extends ProxySettings {
  readonly SLUICE_PUBLIC_URL?: string | undefined;
}

/**
 * Finds the origin under which the caller reached Sluice: `SLUICE_PUBLIC_URL`, else the host and scheme that a trusted
 * proxy forwards, else the `Host` header.
 * Ignores invalid hosts.
 */
export function requestOrigin(request: RequestHead, config: OriginSettings): string {
  return config.SLUICE_PUBLIC_URL ?? findSeenOrigin(request, config);
}

/** Finds the origin as the server sees it, without `SLUICE_PUBLIC_URL`. */
export function findSeenOrigin(request: RequestHead, config: ProxySettings): string {
  const { headers } = request;
  const host = [readForwardedValue(headers, config, 'x-forwarded-host'), headers.get('host')].find(
    (candidate) => candidate != null && isHost(candidate),
  );
  return new URL(host == null ? request.url : `${isSeenSecure(headers, config) ? 'https' : 'http'}://${host}`).origin;
}

/** Checks whether the caller reached Sluice over TLS. */
export function isSecure(headers: HeaderReader, config: OriginSettings): boolean {
  return config.SLUICE_PUBLIC_URL?.startsWith('https:') ?? isSeenSecure(headers, config);
}

function isSeenSecure(headers: HeaderReader, config: ProxySettings): boolean {
  const scheme = readForwardedValue(headers, config, 'x-forwarded-proto');
  return scheme === 'https' || (config.VERCEL && scheme !== 'http');
}

/** Reads the first value of a header that only a trusted proxy may set. Undefined if there is none. */
function readForwardedValue(headers: HeaderReader, config: ProxySettings, name: string): string | undefined {
  const value = headers.get(name);
  if (value === null || !hasTrustedPeer(headers, config)) return undefined;
  return value.split(',')[0]?.trim() || undefined;
}

/**
 * Refuses a request with an invalid `Host` (RFC 9110 section 7.2). `server.mjs` checks it earlier; other deployments
 * need this check.
 * Allows a missing header, as in HTTP/1.0.
 * @throws ApiError bad_request
 */
export function requireHost(headers: HeaderReader): void {
  const host = headers.get('host');
  if (host !== null && !isHost(host)) throw new ApiError('bad_request', 'The Host header is not a host.');
}
