import { RedisUrlError } from '@/lib/counters/redis/redis-url';

/** Address of a Redis that answers over HTTP, and the token for it. */
export interface RestEndpoint {
  url: string;
  token: string;
}

/**
 * Parses the address of a Redis over HTTP: `https://:token@host[:port][/path]`, or `http://` for a server on the same
 * machine. Returns null for any other address.
 * @throws RedisUrlError
 */
export function parseRestEndpoint(address: string): RestEndpoint | null {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return null;
  const { protocol, host, pathname, password, search, hash } = new URL(address);
  if (password === '') throw new RedisUrlError('names no token, as in https://:token@host');
  if (search !== '' || hash !== '') throw new RedisUrlError('has a query, which no Redis over HTTP reads');
  try {
    return { url: `${protocol}//${host}${pathname.replace(/\/+$/, '')}`, token: decodeURIComponent(password) };
  } catch {
    throw new RedisUrlError('has a percent sign that encodes nothing');
  }
}

/** Combines an endpoint into one address. */
export function formatRestAddress({ url, token }: RestEndpoint): string {
  const address = new URL(url);
  address.password = encodeURIComponent(token);
  return address.href;
}
