import type { Config } from '@/lib/config';
import { peerIsTrusted } from '@/lib/http/client-address';

type OriginSettings = Pick<Config, 'SLUICE_PUBLIC_URL' | 'SLUICE_TRUSTED_PROXIES' | 'VERCEL'>;

const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9.])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

function first(value: string | null): string | null {
  const text = value?.split(',')[0]?.trim() ?? '';
  return text === '' ? null : text;
}

/**
 * The origin under which the client has reached this server: the `Host` header as the server saw it, and http, since the
 * server speaks nothing else. What a proxy says instead (`X-Forwarded-Host`, `X-Forwarded-Proto`) counts only from one
 * of `SLUICE_TRUSTED_PROXIES`. Null when `Host` is missing or malformed.
 */
export function seenOrigin(headers: Headers, config: OriginSettings): string | null {
  const trusted = peerIsTrusted(headers, config);
  const host = (trusted ? first(headers.get('x-forwarded-host')) : null) ?? headers.get('host');
  if (host === null || !HOST.test(host)) return null;
  const secure = config.VERCEL || (trusted && first(headers.get('x-forwarded-proto'))?.toLowerCase() === 'https');
  const url = `${secure ? 'https' : 'http'}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** The origin that people know: `SLUICE_PUBLIC_URL`, else the one of this request. */
export function publicOrigin(headers: Headers, config: OriginSettings): string | null {
  return config.SLUICE_PUBLIC_URL ?? seenOrigin(headers, config);
}

/**
 * Whether a browser sent this request from one of our own pages: `Origin` is there and is ours, and `Sec-Fetch-Site`,
 * where the browser sends it, says so too.
 */
export function isSameOrigin(headers: Headers, config: OriginSettings): boolean {
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  if (origin === null || (site !== null && site !== 'same-origin')) return false;
  return origin === config.SLUICE_PUBLIC_URL || origin === seenOrigin(headers, config);
}
