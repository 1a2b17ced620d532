import { useFormContext } from 'react-hook-form';
import { TextField } from '@/components/form/fields/text-field';
import type { Target } from '@/components/links/target';
import { Alert } from '@/components/ui/alert';
import { formatRangeSize, hasAllAddresses, shouldConfirmRange } from '@/lib/contract/fields/wide-range';
import { formatNumber } from '@/lib/format-number';
import { parseRange } from '@/lib/limiter/address';

/** Notes on a typed range: what is saved in place of it, and how many callers it covers. */
export function RangeNotes({ type, identifier }: Target) {
  const range = type === 'ip' ? parseRange(identifier.trim()) : null;
  const warning = type === 'ip' ? describeWideRange(identifier) : null;
  const dropped = range === null ? null : findHostAddress(identifier);
  return (
    <>
      {range !== null && dropped !== null ? (
        <Alert variant="warning" title={`Saved as ${range.text}`}>
          A range starts at its first address, so this is not {dropped} alone but {formatRangeSize(range)}.
        </Alert>
      ) : null}
      {warning ? (
        <Alert variant="warning" title="A wide range">
          {warning} This applies to all of them.
        </Alert>
      ) : null}
    </>
  );
}

/** Asks to type a very wide range once more. */
export function RangeConfirmation({ type, identifier }: Target) {
  const { control } = useFormContext<{ confirm: string }>();
  const range = type === 'ip' ? parseRange(identifier.trim()) : null;
  if (range === null || !shouldConfirmRange(range)) return null;
  return (
    <TextField
      control={control}
      name="confirm"
      label={`Type ${range.text} to confirm`}
      hint={
        hasAllAddresses(range)
          ? `These are all IPv${range.first.family} addresses.`
          : `It covers ${formatRangeSize(range)}.`
      }
      code
    />
  );
}

/** Returns the address of a typed range whose host bits are not 0, and null for other texts. */
function findHostAddress(text: string): string | null {
  const [address = '', length] = text.trim().split('/');
  const [range, host] = [parseRange(text.trim()), parseRange(address)];
  if (length === undefined || range === null || host === null) return null;
  return range.first.text === host.first.text ? null : host.text;
}

/** Prefix lengths. Shorter prefixes trigger a warning. */
const WIDE = { 4: 24, 6: 48 } as const;
const BITS = { 4: 32, 6: 128 } as const;

/**
 * Returns the number of addresses in a CIDR range wider than /24 (IPv4) or /48 (IPv6), as text. Null for narrower
 * ranges.
 */
export function describeWideRange(text: string): string | null {
  const [address, prefixText] = text.trim().split('/');
  if (!address || !prefixText || !/^\d{1,3}$/.test(prefixText)) return null;
  const version = address.includes(':') ? 6 : 4;
  const prefix = Number(prefixText);
  if (prefix > BITS[version] || prefix >= WIDE[version]) return null;
  const bits = BITS[version] - prefix;
  if (version === 4) return `/${prefix} covers ${formatNumber(2 ** bits)} addresses.`;
  return prefix >= 32
    ? `/${prefix} covers ${formatNumber(2 ** (WIDE[6] - prefix))} networks of a typical site.`
    : `/${prefix} is wider than the network of a whole provider.`;
}
