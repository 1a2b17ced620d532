import type { HeaderReader } from '@/lib/http/request-head';
import { type Address, isWithin, parseRange } from '@/lib/limiter/address';
import { readAddress } from '@/lib/limiter/written-address';

/**
 * How `server.mjs` passes on the address of the socket: `<nonce> <address>`. The nonce is made when the process starts
 * and never leaves it, so a client cannot forge this header, also under plain `next start`, where there is no nonce.
 */
export const PEER_HEADER = 'x-sluice-peer';

export interface ProxySettings {
  readonly SLUICE_TRUSTED_PROXIES: readonly string[];
  readonly VERCEL: boolean;
  /** Undefined without `server.mjs`. */
  readonly peerNonce?: string | undefined;
}

const trusted = new WeakMap<ProxySettings, (address: Address) => boolean>();

function trustedBy(config: ProxySettings): (address: Address) => boolean {
  const cached = trusted.get(config);
  if (cached !== undefined) return cached;
  const ranges = config.SLUICE_TRUSTED_PROXIES.flatMap((text) => parseRange(text) ?? []);
  const isTrusted = (address: Address) => ranges.some((range) => isWithin(address, range));
  trusted.set(config, isTrusted);
  return isTrusted;
}

/** The address at the other end of the socket, null when it is not known. */
export function peerAddress(headers: HeaderReader, { peerNonce }: ProxySettings): Address | null {
  const value = headers.get(PEER_HEADER);
  if (peerNonce === undefined || value === null || !value.startsWith(`${peerNonce} `)) return null;
  return readAddress(value.slice(peerNonce.length + 1));
}

/** Whether what the peer says about the client (`X-Forwarded-*`) is believed. */
export function peerIsTrusted(headers: HeaderReader, config: ProxySettings): boolean {
  if (config.VERCEL) return true;
  const peer = peerAddress(headers, config);
  return peer !== null && trustedBy(config)(peer);
}

/** Whether `X-Forwarded-For` names somebody else than the peer. Next adds the peer itself where the header is missing. */
export function isForwarded(headers: HeaderReader, config: ProxySettings): boolean {
  const peer = peerAddress(headers, config)?.text;
  const entries = (headers.get('x-forwarded-for') ?? '').split(',').filter((entry) => entry.trim() !== '');
  return entries.some((entry) => readAddress(entry)?.text !== peer);
}

/**
 * The client's address. A trusted peer's `X-Forwarded-For` is walked from the right to the first address that is no
 * trusted proxy. On Vercel it is in the platform's header. Null when it is not known; such requests share one counter.
 */
export function clientAddress(headers: HeaderReader, config: ProxySettings): Address | null {
  if (config.VERCEL) {
    const [first = ''] = (headers.get('x-vercel-forwarded-for') ?? headers.get('x-real-ip') ?? '').split(',');
    return readAddress(first);
  }
  const peer = peerAddress(headers, config);
  if (peer === null || !trustedBy(config)(peer)) return peer;
  return walk(headers.get('x-forwarded-for') ?? '', config) ?? peer;
}

/**
 * The address of a gateway's client. The gateway is authenticated, so its `X-Forwarded-For` is trusted and walked from
 * the right past the trusted proxies; without one the gateway itself is the client.
 */
export function forwardedClient(headers: HeaderReader, config: ProxySettings): Address | null {
  const chain = headers.get('x-forwarded-for') ?? '';
  if (chain.trim() === '') return clientAddress(headers, config);
  return walk(chain, config) ?? peerAddress(headers, config);
}

/**
 * Walks a forwarded chain from the right to the first address that is no trusted proxy, or to the last that can be read.
 * @returns null without any
 */
function walk(chain: string, config: ProxySettings): Address | null {
  let last: Address | null = null;
  for (const entry of chain.split(',').reverse()) {
    if (entry.trim() === '') continue;
    const address = readAddress(entry);
    if (address === null) return last;
    if (!trustedBy(config)(address)) return address;
    last = address;
  }
  return last;
}
