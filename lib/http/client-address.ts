import type { HeaderReader } from '@/lib/http/request-head';
import { type Address, isWithin, parseRange } from '@/lib/limiter/address';
import { readAddress } from '@/lib/limiter/written-address';

/**
 * Header in which the server passes on the address of the socket: `<nonce> <address>`.
 * The nonce is created when the process starts and never leaves it, so a client cannot forge the header.
 */
export const PEER_HEADER = 'x-sluice-peer';

export interface ProxySettings {
  readonly SLUICE_TRUSTED_PROXIES: readonly string[];
  readonly VERCEL: boolean;
  /** Nonce of the process. Undefined if no server passes on the address. */
  readonly peerNonce?: string | undefined;
}

const trusted = new WeakMap<ProxySettings, (address: Address) => boolean>();

function getTrustCheck(config: ProxySettings): (address: Address) => boolean {
  const cached = trusted.get(config);
  if (cached !== undefined) return cached;
  const ranges = config.SLUICE_TRUSTED_PROXIES.flatMap((text) => parseRange(text) ?? []);
  const isTrusted = (address: Address) => ranges.some((range) => isWithin(address, range));
  trusted.set(config, isTrusted);
  return isTrusted;
}

/** Returns the address at the other end of the socket. Null if it is unavailable. */
export function readPeerAddress(headers: HeaderReader, { peerNonce }: ProxySettings): Address | null {
  const value = headers.get(PEER_HEADER);
  if (peerNonce === undefined || value === null || !value.startsWith(`${peerNonce} `)) return null;
  return readAddress(value.slice(peerNonce.length + 1));
}

/** Checks whether Sluice trusts the peer's `X-Forwarded-*` headers. */
export function hasTrustedPeer(headers: HeaderReader, config: ProxySettings): boolean {
  if (config.VERCEL) return true;
  const peer = readPeerAddress(headers, config);
  return peer !== null && getTrustCheck(config)(peer);
}

/**
 * Checks whether `X-Forwarded-For` names another address than the peer. Next adds the peer if the header is missing.
 */
export function isForwarded(headers: HeaderReader, config: ProxySettings): boolean {
  const peer = readPeerAddress(headers, config)?.text;
  const entries = (headers.get('x-forwarded-for') ?? '').split(',').filter((entry) => entry.trim() !== '');
  return entries.some((entry) => readAddress(entry)?.text !== peer);
}

/**
 * Finds the client's address. Reads a trusted peer's `X-Forwarded-For` from the right, up to the first address that is
 * not a trusted proxy.
 * On Vercel, reads the platform's header. Null if the address is unavailable; such requests share one counter.
 */
export function readClientAddress(headers: HeaderReader, config: ProxySettings): Address | null {
  if (config.VERCEL) {
    const [first = ''] = (headers.get('x-vercel-forwarded-for') ?? headers.get('x-real-ip') ?? '').split(',');
    return readAddress(first);
  }
  const peer = readPeerAddress(headers, config);
  if (peer === null || !getTrustCheck(config)(peer)) return peer;
  return walk(headers.get('x-forwarded-for') ?? '', config) ?? peer;
}

/**
 * Finds the address of a gateway's client.
 * The gateway is authenticated, so its `X-Forwarded-For` is trusted, and read from the right past the trusted proxies.
 * If the header is missing, the gateway itself is the client.
 */
export function readForwardedClient(headers: HeaderReader, config: ProxySettings): Address | null {
  const chain = headers.get('x-forwarded-for') ?? '';
  if (chain.trim() === '') return readClientAddress(headers, config);
  return walk(chain, config) ?? readPeerAddress(headers, config);
}

/**
 * Reads a forwarded chain from the right, up to the first address that is not a trusted proxy.
 * @returns the last valid address if all are trusted or the next is malformed; null if there is none
 */
function walk(chain: string, config: ProxySettings): Address | null {
  let last: Address | null = null;
  for (const entry of chain.split(',').reverse()) {
    if (entry.trim() === '') continue;
    const address = readAddress(entry);
    if (address === null) return last;
    if (!getTrustCheck(config)(address)) return address;
    last = address;
  }
  return last;
}
