import { type Address, parseAddress } from '@/lib/limiter/address';

const WRAPPED = /^(?:\[([^\]]+)\]|((?:[\da-f:]*:)?\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/i;

/**
 * Reads an address as proxies, frameworks and sockets write it. The address may have a port (`203.0.113.7:4711`),
 * brackets (`[2001:db8::1]:4711`), a zone (`fe80::1%eth0`) and white space around it.
 * @returns null for any other text, such as `unknown` (RFC 7239 section 6)
 */
export function readAddress(text: string): Address | null {
  const trimmed = text.trim();
  // Most addresses are plain, so the cheap parse runs first.
  const plain = parseAddress(trimmed);
  if (plain !== null) return plain;
  const [, bracketed, dotted] = WRAPPED.exec(trimmed) ?? [];
  return parseAddress((bracketed ?? dotted ?? trimmed).replace(/%.*$/, ''));
}
