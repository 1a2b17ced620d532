import { findEmbeddedIpv4 } from '@/lib/limiter/embedded-ipv4';

/**
 * An IP address in canonical form. The value is held in 32-bit words, most significant first. An IPv4 address uses only
 * `w0`, an IPv6 address uses all four.
 */
export interface Address {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
  /** Dotted decimal for IPv4, RFC 5952 for IPv6. */
  readonly text: string;
}

/** All addresses that share the first `length` bits of `first`. The other bits of `first` are 0. */
export interface AddressRange {
  readonly first: Address;
  /** Length of the prefix: 0 to 32 for IPv4, 0 to 128 for IPv6. */
  readonly length: number;
  /** `first/length`, or just the address if the range is a single address. */
  readonly text: string;
}

/** Longest text of an IPv6 address (RFC 4291 section 2.2, form 3). */
const LONGEST = 45;
const GROUP = /^[0-9a-f]{1,4}$/i;
/** Bits of the embedded IPv4 address that a range must fix to become an IPv4 range. */
const SHORTEST_EMBEDDED = 8;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/**
 * Reads one address: IPv4 as four decimal numbers without zero padding, or IPv6 in any spelling of RFC 4291 section
 * 2.2. The text has no zone, port, brackets or white space. An address that embeds an IPv4 address (`::ffff:10.0.0.1`,
 * NAT64, 6to4; see `findEmbeddedIpv4`) becomes that IPv4 address.
 * @returns null for any other text, and for the unspecified addresses `0.0.0.0` and `::`
 */
export function parseAddress(text: string): Address | null {
  const written = parseAny(text);
  const embedded = written && findEmbedding(written);
  const address = embedded === null ? written : createIpv4(embedded.value);
  return address === null || isUnspecified(address) ? null : address;
}

/**
 * Reads an address, or a range in CIDR notation. Host bits are cleared. A range of addresses that embed IPv4 addresses
 * becomes the IPv4 range.
 *
 * A range that leaves more than 24 bits of the IPv4 address open stays an IPv6 range: an entry for `2002::/16` does not
 * mean every IPv4 address. Ranges within `::ffff:0:0/96` are exempt from this rule.
 * @returns null for any other text, and for the unspecified addresses as single addresses
 */
export function parseRange(text: string): AddressRange | null {
  const slash = text.indexOf('/');
  if (slash < 0) {
    const address = parseAddress(text);
    return address && { first: address, length: countBits(address), text: address.text };
  }
  const written = parseAny(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (written === null || !PREFIX_LENGTH.test(digits) || Number(digits) > countBits(written)) return null;
  const embedded = findEmbedding(written);
  const inner = Number(digits) - (embedded?.prefix ?? 0);
  const isIpv4 = embedded !== null && inner >= (isMapped(written) ? 0 : SHORTEST_EMBEDDED);
  const length = isIpv4 ? Math.min(32, inner) : Number(digits);
  const first = maskAddress(isIpv4 ? createIpv4(embedded.value) : written, length);
  if (length < countBits(first)) return { first, length, text: `${first.text}/${length}` };
  return isUnspecified(first) ? null : { first, length, text: first.text };
}

export function isWithin(address: Address, range: AddressRange): boolean {
  const { first, length } = range;
  if (address.family !== first.family) return false;
  return (
    hasSameBits(address.w0, first.w0, length) &&
    hasSameBits(address.w1, first.w1, length - 32) &&
    hasSameBits(address.w2, first.w2, length - 64) &&
    hasSameBits(address.w3, first.w3, length - 96)
  );
}

/**
 * Returns the subject that counts an address. An IPv4 address is its own subject. An IPv6 address counts as its /64,
 * because every subscriber can choose from at least that many addresses (RFC 6177).
 */
export function formatAddressSubject(address: Address): string {
  return address.family === 4 ? address.text : `${createIpv6(address.w0, address.w1, 0, 0).text}/64`;
}

/** Subject that all requests without a trusted address share. */
const UNKNOWN_SUBJECT = 'unknown';

/** Returns the subject that counts an address, or the shared one if there is no trusted address. */
export function formatSubjectOrUnknown(address: Address | null): string {
  return address === null ? UNKNOWN_SUBJECT : formatAddressSubject(address);
}

export function countBits(address: Address): 32 | 128 {
  return address.family === 4 ? 32 : 128;
}

/** Returns the number of leading bits that distinguish subjects. An IPv6 address counts as its /64. */
export function countSubjectBits(address: Address): 32 | 64 {
  return address.family === 4 ? 32 : 64;
}

/** Returns the range that is counted together with `range`: an IPv6 range within a /64 becomes that /64. */
export function widenRange(range: AddressRange): AddressRange {
  const length = countSubjectBits(range.first);
  if (range.length <= length || range.first.family === 4) return range;
  const first = maskAddress(range.first, length);
  return { first, length, text: `${first.text}/${length}` };
}

function hasSameBits(a: number, b: number, length: number): boolean {
  if (length <= 0) return true;
  return length >= 32 ? a === b : (a ^ b) >>> (32 - length) === 0;
}

function parseAny(text: string): Address | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Address | null {
  let value = 0;
  let parts = 1;
  let digits = 0;
  let part = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 46) {
      if (digits === 0 || parts === 4) return null;
      value = value * 256 + part;
      parts++;
      digits = 0;
      part = 0;
    } else {
      if (code < 48 || code > 57 || (digits > 0 && part === 0)) return null;
      part = part * 10 + code - 48;
      digits++;
      if (part > 255) return null;
    }
  }
  return parts === 4 && digits > 0 ? { family: 4, w0: value * 256 + part, w1: 0, w2: 0, w3: 0, text } : null;
}

function parseIpv6(text: string): Address | null {
  if (text.length > LONGEST) return null;
  const [head = '', tail, more] = text.split('::');
  const before = parseHexGroups(head);
  const after = tail === undefined ? [] : parseHexGroups(tail);
  if (before === null || after === null || more !== undefined) return null;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1 || head.includes('.')) return null;
  const groups = [...before, ...new Array<number>(missing).fill(0), ...after];
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const joinGroups = (high: number, low: number) => high * 65536 + low;
  return createIpv6(joinGroups(a, b), joinGroups(c, d), joinGroups(e, f), joinGroups(g, h));
}

/**
 * Reads the 16-bit groups on one side of `::`. Dotted decimal at the end makes two groups. Returns null if one is
 * malformed.
 */
function parseHexGroups(side: string): number[] | null {
  if (side === '') return [];
  const groups: number[] = [];
  const texts = side.split(':');
  for (const [i, text] of texts.entries()) {
    const dotted = i === texts.length - 1 ? parseIpv4(text) : null;
    if (dotted !== null) groups.push(dotted.w0 >>> 16, dotted.w0 & 65535);
    else if (GROUP.test(text)) groups.push(Number.parseInt(text, 16));
    else return null;
  }
  return groups;
}

function createIpv4(w0: number): Address {
  const text = `${w0 >>> 24}.${(w0 >>> 16) & 255}.${(w0 >>> 8) & 255}.${w0 & 255}`;
  return { family: 4, w0, w1: 0, w2: 0, w3: 0, text };
}

function createIpv6(w0: number, w1: number, w2: number, w3: number): Address {
  return { family: 6, w0, w1, w2, w3, text: formatRfc5952([w0, w1, w2, w3].flatMap((w) => [w >>> 16, w & 65535])) };
}

/**
 * Formats the canonical text: lower case, no leading zeros, `::` for the first longest run of two or more zero groups.
 */
function formatRfc5952(groups: readonly number[]): string {
  let from = 0;
  let longest = 1;
  for (let i = 0, run = 0; i < 8; i++) {
    run = groups[i] === 0 ? run + 1 : 0;
    if (run > longest) {
      longest = run;
      from = i + 1 - run;
    }
  }
  const formatHex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  return longest === 1
    ? formatHex(groups)
    : `${formatHex(groups.slice(0, from))}::${formatHex(groups.slice(from + longest))}`;
}

function findEmbedding({ family, w0, w1, w2, w3 }: Address) {
  return family === 6 ? findEmbeddedIpv4(w0, w1, w2, w3) : null;
}

function isMapped(address: Address): boolean {
  return address.family === 6 && address.w0 === 0 && address.w1 === 0 && address.w2 === 0xffff;
}

function isUnspecified(address: Address): boolean {
  return address.w0 === 0 && address.w1 === 0 && address.w2 === 0 && address.w3 === 0;
}

function maskAddress(address: Address, length: number): Address {
  const keep = (value: number, bits: number) =>
    bits <= 0 ? 0 : bits >= 32 ? value : (value & (-1 << (32 - bits))) >>> 0;
  const { w0, w1, w2, w3 } = address;
  if (address.family === 4) return createIpv4(keep(w0, length));
  return createIpv6(keep(w0, length), keep(w1, length - 32), keep(w2, length - 64), keep(w3, length - 96));
}
