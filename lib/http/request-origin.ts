import type { Config } from '@/lib/config';
import { peerIsTrusted } from '@/lib/http/client-address';
import type { RequestHead } from '@/lib/http/request-head';

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The origin under which the caller reached Sluice: `SLUICE_PUBLIC_URL` when it is set, else the `Host` header, with
 * what a trusted proxy says about scheme and host before it.
 */
export function requestOrigin(request: RequestHead, config: Config): string {
  if (config.SLUICE_PUBLIC_URL !== undefined) return config.SLUICE_PUBLIC_URL;
  const trusted = peerIsTrusted(request.headers, config);
  const first = (name: string) => (trusted ? request.headers.get(name)?.split(',')[0]?.trim() : undefined) || undefined;
  const url = new URL(request.url);
  const scheme =
    first('x-forwarded-proto') === 'https' || (config.VERCEL && first('x-forwarded-proto') !== 'http')
      ? 'https'
      : 'http';
  const host = first('x-forwarded-host') ?? request.headers.get('host') ?? url.host;
  return HOST.test(host) && URL.canParse(`${scheme}://${host}`) ? new URL(`${scheme}://${host}`).origin : url.origin;
}
