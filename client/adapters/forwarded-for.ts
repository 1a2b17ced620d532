import { readAddress } from '@/lib/limiter/written-address';

/**
 * The address that the outermost of your proxies has seen, from `X-Forwarded-For`. What stands left of it is the client's own
 * claim and is never read.
 * @param proxies how many of your own proxies a request passes, at least 1
 */
export function forwardedFor(proxies = 1) {
  return ({ headers }: { headers: Headers }): string | undefined => {
    const seen = (headers.get('x-forwarded-for') ?? '').split(',').map((address) => address.trim());
    const written = seen.at(-proxies) || undefined;
    return written && (readAddress(written)?.text ?? written);
  };
}
