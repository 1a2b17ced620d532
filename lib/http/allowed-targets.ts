import ipaddr from 'ipaddr.js';
import { type AddressRange, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';

/** The private addresses and hosts that requests to other servers may go to (`SLUICE_ASSESS_ALLOW`). */
export interface AllowedTargets {
  ranges: readonly AddressRange[];
  /** In lower case; `*.example.internal` stands for every name below it. */
  hosts: readonly string[];
}

/** Nothing but the public internet. */
export const ONLY_PUBLIC: AllowedTargets = { ranges: [], hosts: [] };

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** A letter tells a name from a mistyped address. */
const HOST = new RegExp(`^(?=.*[a-z])(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`);

/** Where clouds keep the credentials of their machines, and all of link-local: opened by a range only. */
const METADATA = ['169.254.0.0/16', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::/32', 'fd20:ce::254']
  .map(parseRange)
  .filter((range) => range !== null);
/** A shorter prefix does not name them: `0.0.0.0/0` and `fd00::/8` mean ordinary networks. */
const SHORTEST_FOR_METADATA = { 4: 16, 6: 32 };
/** What the name of a host may open; multicast, reserved and unspecified addresses need a range. */
const OPENED_BY_NAME = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** Reads one entry: a CIDR range, an address or a host name. Null for everything else. */
export function parseAllowedTarget(entry: string): AddressRange | string | null {
  const range = parseRange(entry.replace(/^\[|\]$/g, ''));
  if (range !== null) return range;
  const host = entry.toLowerCase().replace(/\.$/, '');
  return host.length <= 253 && HOST.test(host) ? host : null;
}

/**
 * Why an address must not be connected to, as what it is (`a private address`); null when it may be. Public addresses
 * are open. A range opens what is in it. A host name opens the loopback and private addresses that it resolves to. The
 * metadata services of clouds are opened only by a range that names them: at least /16, or /32 of IPv6.
 * @param host the name that resolved to the address, or the address itself
 */
export function whyClosed(address: string, host: string, { ranges, hosts }: AllowedTargets): string | null {
  const bare = withoutZone(address);
  const parsed = ipaddr.isValid(bare) ? parseAddress(ipaddr.process(bare).toString()) : null;
  const inside = (known: readonly AddressRange[]) =>
    known.filter((range) => parsed !== null && isWithin(parsed, range));
  const open = inside(ranges);
  if (inside(METADATA).length > 0) {
    const named = open.some(({ first, length }) => length >= SHORTEST_FOR_METADATA[first.family]);
    return named ? null : 'an address of a metadata service';
  }
  if (isPublicAddress(bare) || open.length > 0) return null;
  const kind = parsed === null ? '' : ipaddr.parse(parsed.text).range();
  if (OPENED_BY_NAME.has(kind) && hosts.some((known) => isNamed(host, known))) return null;
  return kind === 'loopback'
    ? 'a loopback address'
    : OPENED_BY_NAME.has(kind)
      ? 'a private address'
      : 'not a public address';
}

function isNamed(host: string, known: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return known.startsWith('*.') ? name.endsWith(known.slice(1)) && name.length >= known.length : name === known;
}

const withoutZone = (address: string): string => address.replace(/^\[|\]$/g, '').split('%')[0] ?? '';

/**
 * Whether an IP address is one of the public internet: no loopback, private, link-local, shared, multicast, benchmark or
 * reserved one, in no disguise (IPv4-mapped, NAT64, 6to4, Teredo, IPv4-compatible).
 */
export function isPublicAddress(address: string): boolean {
  const bare = withoutZone(address);
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.process(bare);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  // Global unicast is 2000::/3; what else looks like unicast (`::a.b.c.d`, site-local) leads elsewhere.
  const [first = 0] = parsed.toByteArray();
  return first >> 5 === 1;
}
