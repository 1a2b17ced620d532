import { readAddress } from '@/lib/limiter/written-address';

/**
 * Reads the client address that your outermost proxy has seen, from `X-Forwarded-For`. Entries left of it are the
 * client's own claim and are never read.
 * @param proxies number of your own proxies that a request passes, at least 1
 */
export function forwardedFor(proxies = 1) {
  return ({ headers }: { headers: Headers }): string | undefined => {
    const seen = (headers.get('x-forwarded-for') ?? '').split(',').map((address) => address.trim());
    const written = seen.at(-proxies) || undefined;
    return written && (readAddress(written)?.text ?? written);
  };
}
