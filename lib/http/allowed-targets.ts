import ipaddr from 'ipaddr.js';
import { type AddressRange, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';

/** Private addresses and hosts that Sluice's own requests may reach (`SLUICE_ASSESS_ALLOW`). */
export interface AllowedTargets {
  ranges: readonly AddressRange[];
  /** Lower-case names. `*.example.internal` matches every name below it. */
  hosts: readonly string[];
}

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** Matches a host name. It needs a letter, so that a mistyped address is no name. */
const HOST = new RegExp(`^(?=.*[a-z])(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`);

/** Addresses from which cloud machines read credentials, and all link-local ones. Only a range can allow them. */
const METADATA = ['169.254.0.0/16', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::/32', 'fd20:ce::254']
  .map(parseRange)
  .filter((range) => range !== null);
/** Shortest prefix that allows them. Shorter ones, such as `0.0.0.0/0` and `fd00::/8`, mean ordinary networks. */
const SHORTEST_FOR_METADATA = { 4: 16, 6: 32 };
/** Kinds of address that a host name can allow. Multicast, reserved and unspecified addresses need a range. */
const OPENED_BY_NAME = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** Parses one entry: a CIDR range, an address or a host name. Null for any other text. */
export function parseAllowedTarget(entry: string): AddressRange | string | null {
  const range = parseRange(entry.replace(/^\[|\]$/g, ''));
  if (range !== null) return range;
  const host = entry.toLowerCase().replace(/\.$/, '');
  return host.length <= 253 && HOST.test(host) ? host : null;
}

/** Returns the host of a URL as an address or a name: IPv6 without brackets. */
export function removeHostBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Says how to allow a private host, with the value to set. */
export function describeHostAllowance(host: string): string {
  return `To allow it, add it to SLUICE_ASSESS_ALLOW, after a comma if that has a value, and restart: SLUICE_ASSESS_ALLOW=${host}`;
}

/** Names that no public host has (RFC 6761, RFC 6762, RFC 8375, and `.internal` of ICANN). */
const PRIVATE_NAME = /^localhost$|^[^.]+$|\.(?:localhost|local|internal|lan|home\.arpa)$/i;

/** Returns whether a host of a URL is a private address, or a name that only private hosts have. */
export function isPrivateHost(hostname: string): boolean {
  const host = removeHostBrackets(hostname).replace(/\.$/, '');
  return ipaddr.isValid(host) ? !isPublicAddress(host) : PRIVATE_NAME.test(host);
}

/**
 * Explains why Sluice must not connect to an address (`a private address`). Null if it may.
 * Public addresses are open. A range opens the addresses in it. A host name opens the loopback and private addresses to
 * which it resolves. Metadata services of clouds need a range that names them: at least /16, or /32 for IPv6. An IPv6
 * address that embeds an IPv4 address is open only if the embedded one is open too.
 * @param host the name that resolved to the address, or the address itself
 */
export function findClosedReason(address: string, host: string, allowed: AllowedTargets): string | null {
  const bare = removeZone(address);
  for (const one of [bare, ...findEmbeddedAddresses(bare)]) {
    const closed = findOwnClosedReason(one, host, allowed);
    if (closed !== null) return closed;
  }
  return null;
}

function findOwnClosedReason(address: string, host: string, { ranges, hosts }: AllowedTargets): string | null {
  const parsed = ipaddr.isValid(address) ? parseAddress(ipaddr.process(address).toString()) : null;
  const selectContaining = (ranges: readonly AddressRange[]) =>
    ranges.filter((range) => parsed !== null && isWithin(parsed, range));
  const open = selectContaining(ranges);
  if (selectContaining(METADATA).length > 0) {
    const named = open.some(({ first, length }) => length >= SHORTEST_FOR_METADATA[first.family]);
    return named ? null : 'an address of a metadata service';
  }
  if (isPublicItself(address) || open.length > 0) return null;
  const kind = parsed === null ? '' : ipaddr.parse(parsed.text).range();
  if (OPENED_BY_NAME.has(kind) && hosts.some((name) => isNamed(host, name))) return null;
  return kind === 'loopback'
    ? 'a loopback address'
    : OPENED_BY_NAME.has(kind)
      ? 'a private address'
      : 'not a public address';
}

function isNamed(host: string, allowedName: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return allowedName.startsWith('*.')
    ? name.endsWith(allowedName.slice(1)) && name.length >= allowedName.length
    : name === allowedName;
}

const removeZone = (address: string): string => address.replace(/^\[|\]$/g, '').split('%')[0] ?? '';

/**
 * Checks whether an IP address is public: not loopback, private, link-local, shared, multicast, benchmark or reserved.
 * Also checks embedded addresses (IPv4-mapped, NAT64, 6to4, Teredo, IPv4-compatible, ISATAP).
 */
export function isPublicAddress(address: string): boolean {
  const bare = removeZone(address);
  return isPublicItself(bare) && findEmbeddedAddresses(bare).every(isPublicItself);
}

function isPublicItself(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  // Global unicast is 2000::/3. Other addresses that parse as unicast (`::a.b.c.d`, site-local) are not global.
  const [first = 0] = parsed.toByteArray();
  return first >> 5 === 1;
}

/**
 * Finds the IPv4 addresses that a packet to an IPv6 address may reach, including private ones.
 * `findEmbeddedIpv4` differs: it finds the address under which a caller is counted.
 *
 * | mechanism | where the IPv4 address is |
 * |---|---|
 * | IPv4-mapped, IPv4-translated, IPv4-compatible, NAT64 `64:ff9b::/96` | the last 32 bits |
 * | NAT64 for local use `64:ff9b:1::/48` (RFC 8215) | one of four places (RFC 6052 section 2.2) |
 * | 6to4 `2002::/16` (RFC 3056) | after the prefix |
 * | Teredo `2001::/32` (RFC 4380) | the server after the prefix, the client inverted in the last 32 bits |
 * | ISATAP (RFC 5214), under every prefix | after an interface identifier that starts with `5efe` |
 */
function findEmbeddedAddresses(address: string): string[] {
  if (!ipaddr.IPv6.isValid(address)) return [];
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = ipaddr.IPv6.parse(address).parts;
  const last: Pair = [g, h];
  // The two lowest bits of the first byte mark a unique identifier and a group.
  if ((e & ~0x0300) === 0 && f === 0x5efe) return [formatIpv4(last)];
  if (a === 0x2002) return [formatIpv4([b, c])];
  if (a === 0x2001 && b === 0) return [formatIpv4([c, d]), formatIpv4([~g & 0xffff, ~h & 0xffff])];
  const places = a === 0x64 && b === 0xff9b && c === 1 ? findPlacesOfNat64(d, e, f, last) : [];
  if (/^(?:0,0,0,0,0,(?:0|65535)|0,0,0,0,65535,0|100,65435,0,0,0,0)$/.test([a, b, c, d, e, f].join()))
    places.push(last);
  // Packets cannot go to `0.0.0.0/8`, so `::1` embeds no address.
  return places.filter(([high]) => high > 0xff).map(formatIpv4);
}

/** High and low half of an IPv4 address. */
type Pair = readonly [number, number];

/** Reads the IPv4 addresses after prefixes of 48, 56, 64 and 96 bits. Skips the byte after bit 64. */
function findPlacesOfNat64(d: number, e: number, f: number, [g, h]: Pair): Pair[] {
  const join = (high: number, low: number) => ((high & 0xff) << 8) | low;
  return [
    [d, join(e, f >> 8)],
    [join(d, e & 0xff), f],
    [join(e, f >> 8), join(f, g >> 8)],
    [g, h],
  ];
}

const formatIpv4 = ([high, low]: Pair): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
