import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address is one of the public internet: no loopback, private, link-local, shared, multicast, benchmark or
 * reserved one, in no disguise (IPv4-mapped, NAT64, 6to4, Teredo, IPv4-compatible).
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.process(bare);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  // Global unicast is 2000::/3; what else looks like unicast (`::a.b.c.d`, site-local) leads elsewhere.
  const first = parsed.toByteArray()[0] ?? 0;
  return first >> 5 === 1;
}
