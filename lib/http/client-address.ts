import type { Config } from '@/lib/config';
import type { HeaderReader } from '@/lib/http/request-head';
import { type Address, type AddressRange, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';

/**
 * How `server.mjs` tells the address of the socket: `<nonce> <address>`. The nonce is made at the start of the process
 * and never leaves it, so a header of this name that a client sends is worth nothing, also where `next start` runs
 * without `server.mjs` in front.
 */
export const PEER_HEADER = 'x-sluice-peer';

const PEER_NONCE = Symbol.for('sluice.peer-nonce');

type ProxySettings = Pick<Config, 'SLUICE_TRUSTED_PROXIES' | 'VERCEL'>;

const trusted = new WeakMap<ProxySettings, AddressRange[]>();

function trustedRanges(config: ProxySettings): AddressRange[] {
  const known = trusted.get(config);
  if (known !== undefined) return known;
  const ranges = config.SLUICE_TRUSTED_PROXIES.flatMap((text) => parseRange(text) ?? []);
  trusted.set(config, ranges);
  return ranges;
}

/** The address at the other end of the socket, null when nothing trustworthy tells it. */
export function peerAddress(headers: HeaderReader): Address | null {
  const nonce = (globalThis as { [PEER_NONCE]?: string })[PEER_NONCE];
  const value = headers.get(PEER_HEADER);
  if (nonce === undefined || value === null || !value.startsWith(`${nonce} `)) return null;
  return parseAddress(value.slice(nonce.length + 1).replace(/%.*$/, ''));
}

/** Whether what the peer says about the client (`X-Forwarded-*`) is believed. */
export function peerIsTrusted(headers: HeaderReader, config: ProxySettings): boolean {
  if (config.VERCEL) return true;
  const peer = peerAddress(headers);
  return peer !== null && trustedRanges(config).some((range) => isWithin(peer, range));
}

/**
 * The client's address. A trusted peer's `X-Forwarded-For` is walked from the right: the first address that is no
 * trusted proxy is the client's. On Vercel it is the platform's header. Null when nothing trustworthy tells it; then
 * all such requests share one counter.
 */
export function clientAddress(headers: HeaderReader, config: ProxySettings): Address | null {
  if (config.VERCEL)
    return forwardedAddress(
      (headers.get('x-vercel-forwarded-for') ?? headers.get('x-real-ip') ?? '').split(',')[0] ?? '',
    );
  const ranges = trustedRanges(config);
  const isTrusted = (address: Address) => ranges.some((range) => isWithin(address, range));
  const peer = peerAddress(headers);
  if (peer === null || !isTrusted(peer)) return peer;
  return walk(headers.get('x-forwarded-for') ?? '', peer, isTrusted);
}

/**
 * The address of a gateway's client. The gateway has shown a token, so the chain that it hands over is believed and
 * walked from the right past the trusted proxies; without a chain the gateway itself is the client.
 */
export function forwardedClient(headers: HeaderReader, config: ProxySettings): Address | null {
  const chain = headers.get('x-forwarded-for') ?? '';
  if (chain.trim() === '') return clientAddress(headers, config);
  const ranges = trustedRanges(config);
  return walk(chain, peerAddress(headers), (address) => ranges.some((range) => isWithin(address, range)));
}

/**
 * Walks a forwarded chain from the right.
 * @param nearest the address that handed the chain over
 */
export function walk<T extends Address | null>(
  chain: string,
  nearest: T,
  isTrusted: (address: Address) => boolean,
): Address | T {
  let last: Address | T = nearest;
  for (const entry of chain.split(',').reverse()) {
    if (entry.trim() === '') continue;
    const address = forwardedAddress(entry);
    if (address === null) return last;
    if (!isTrusted(address)) return address;
    last = address;
  }
  return last;
}

/** An entry of a forwarded chain: some proxies add the port, and brackets around IPv6. */
function forwardedAddress(entry: string): Address | null {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1];
  return parseAddress(bracketed ?? withPort ?? text);
}
