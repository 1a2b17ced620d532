import { formatNumber } from '@/lib/format-number';
import { type AddressRange, parseRange } from '@/lib/limiter/address';

/** Longest prefixes of the ranges that the console asks to type once more: /16 (IPv4) and /32 (IPv6). */
const CONFIRMED = { 4: 16, 6: 32 } as const;

/** Returns whether a range is so wide that a form asks to type it once more. */
export function shouldConfirmRange({ first, length }: AddressRange): boolean {
  return length <= CONFIRMED[first.family];
}

/** Returns whether a range holds every address of its family. */
export function hasAllAddresses({ length }: AddressRange): boolean {
  return length === 0;
}

/** Describes the size of a range: "65,536 addresses". IPv6 addresses are counted by their /64. */
export function formatRangeSize({ first, length }: AddressRange): string {
  const whole = first.family === 4 ? 32 : 64;
  const count = 2n ** BigInt(Math.max(0, whole - length));
  const noun =
    first.family === 4 ? (count === 1n ? 'address' : 'addresses') : count === 1n ? '/64 network' : '/64 networks';
  return `${formatNumber(count)} ${noun}`;
}

/** Returns whether a form may send an entry: its range needs no confirmation, or was typed once more, in any spelling. */
export function isConfirmed(type: string, identifier: string, confirm: string): boolean {
  const range = type === 'ip' ? parseRange(identifier) : null;
  return range === null || !shouldConfirmRange(range) || parseRange(confirm.trim())?.text === range.text;
}
