import { formatNumber } from '@/components/format/number';

/** Prefix lengths; shorter ones trigger a warning. */
const WIDE = { 4: 24, 6: 48 } as const;
const BITS = { 4: 32, 6: 128 } as const;

/**
 * A sentence about how many addresses a CIDR range holds when it is wider than /24 (IPv4) or /48 (IPv6), else null.
 * Null for anything that is not a range.
 */
export function wideRangeWarning(text: string): string | null {
  const [address, prefixText] = text.trim().split('/');
  if (!address || !prefixText || !/^\d{1,3}$/.test(prefixText)) return null;
  const version = address.includes(':') ? 6 : 4;
  const prefix = Number(prefixText);
  if (prefix > BITS[version] || prefix >= WIDE[version]) return null;
  const bits = BITS[version] - prefix;
  if (version === 4) return `/${prefix} covers ${formatNumber(2 ** bits)} addresses.`;
  return prefix >= 32
    ? `/${prefix} covers ${formatNumber(2 ** (WIDE[6] - prefix))} networks of the usual size of one site.`
    : `/${prefix} is wider than the network of a whole provider.`;
}
