/** Position of an IPv4 address in an IPv6 address of a transition mechanism. */
interface Embedding {
  /** Number of bits before the IPv4 address. */
  prefix: number;
  /** The IPv4 address as a 32-bit word. */
  value: number;
}

/**
 * Finds the IPv4 address that an IPv6 address embeds, or returns null if there is none. The client is the owner of the
 * IPv4 address. Many such clients can share a /64, and one client can have many.
 *
 * | prefix | mechanism |
 * |---|---|
 * | `::ffff:0:0/96` | IPv4-mapped (RFC 4291 section 2.5.5.2) |
 * | `::ffff:0:0:0/96` | IPv4-translated (RFC 2765 section 2.1) |
 * | `::/96` | IPv4-compatible (RFC 4291 section 2.5.5.1) |
 * | `64:ff9b::/96` | NAT64 (RFC 6052 section 2.1) |
 * | `64:ff9b:1::/48` | NAT64 for local use (RFC 8215), if the address is in the last 32 bits after a /96 |
 * | `2002::/16` | 6to4 (RFC 3056), public IPv4 addresses only, as the RFC requires |
 * | `2001::/32` | Teredo (RFC 4380 section 4): the public address of the client, inverted |
 *
 * Only IPv4-mapped addresses may embed loopback and `0.0.0.0/8`. No translator sends those, so a client could forge
 * them.
 */
export function findEmbeddedIpv4(w0: number, w1: number, w2: number, w3: number): Embedding | null {
  if (w0 === 0 && w1 === 0) {
    if (w2 === 0xffff) return { prefix: 96, value: w3 };
    return w2 === 0xffff0000 || w2 === 0 ? createEmbedding(96, w3, isHost) : null;
  }
  if (w0 === 0x0064ff9b && w2 === 0) {
    return w1 === 0 || w1 >>> 16 === 1 ? createEmbedding(96, w3, isHost) : null;
  }
  if (w0 >>> 16 === 0x2002) return createEmbedding(16, ((w0 << 16) | (w1 >>> 16)) >>> 0, isPublic);
  return w0 === 0x20010000 ? createEmbedding(96, ~w3 >>> 0, isPublic) : null;
}

function createEmbedding(prefix: number, value: number, isTaken: (value: number) => boolean): Embedding | null {
  return isTaken(value) ? { prefix, value } : null;
}

/** Excludes `0.0.0.0/8` and loopback. */
function isHost(value: number): boolean {
  const first = value >>> 24;
  return first !== 0 && first !== 127;
}

/** Excludes private (RFC 1918, RFC 6598), link-local, multicast and reserved addresses. */
function isPublic(value: number): boolean {
  const first = value >>> 24;
  const second = (value >>> 16) & 255;
  if (!isHost(value) || first === 10 || first >= 224) return false;
  if (first === 100) return second < 64 || second > 127;
  if (first === 172) return second < 16 || second > 31;
  return !(first === 169 && second === 254) && !(first === 192 && second === 168);
}
