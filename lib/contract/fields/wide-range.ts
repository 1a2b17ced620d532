import { z } from 'zod';
import { type AddressRange, parseRange } from '@/lib/limiter/address';

/** Longest prefixes of the ranges that an allowlist entry must confirm: /16 (IPv4) and /32 (IPv6). */
const CONFIRMED = { 4: 16, 6: 32 } as const;

/** Returns whether a range is so wide that an allowlist entry for it must be confirmed. */
export function needsConfirmation({ first, length }: AddressRange): boolean {
  return length <= CONFIRMED[first.family];
}

/** Returns whether a range holds every address of its family. */
export function coversEveryone({ length }: AddressRange): boolean {
  return length === 0;
}

/** Describes the size of a range: "65,536 addresses". IPv6 addresses are counted by their /64. */
export function sizeOfRange({ first, length }: AddressRange): string {
  const whole = first.family === 4 ? 32 : 64;
  const count = 2n ** BigInt(Math.max(0, whole - length));
  const noun =
    first.family === 4 ? (count === 1n ? 'address' : 'addresses') : count === 1n ? '/64 network' : '/64 networks';
  return `${count.toLocaleString('en')} ${noun}`;
}

/** The identifier once more, in any spelling. */
export const ConfirmationInput = z
  .string()
  .optional()
  .describe(
    'The range once more, to confirm it. Required of a new entry for a range of /16 or wider (IPv4) or /32 or wider (IPv6).',
  );

/**
 * Describes what is missing from the confirmation of a range. Null if it is confirmed, or needs no confirmation.
 * @returns text that continues the field's name: "must repeat ..."
 */
export function confirmationFault(type: string, identifier: string, confirm: string | undefined): string | null {
  const range = type === 'ip' ? parseRange(identifier) : null;
  if (range === null || !needsConfirmation(range)) return null;
  if (confirm !== undefined && parseRange(confirm.trim())?.text === range.text) return null;
  return `must repeat the range to confirm it, because ${sizeOfRange(range)} would bypass all limits`;
}
