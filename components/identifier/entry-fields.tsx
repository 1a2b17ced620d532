import { LocateFixed } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { ExpiryChoice, ExpiryField, expiryChoice } from '@/components/form/expiry-field';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { TextField } from '@/components/form/text-field';
import { formatNumber } from '@/components/format/number';
import type { Target } from '@/components/links/target';
import { longestEnd, useLongestLife } from '@/components/policies/longest-life';
import { useClientAddress } from '@/components/shell/member';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Segmented } from '@/components/ui/segmented';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { canonicalIdentifier } from '@/lib/contract/fields/identifier';

/** Fields that allowlist entries and overrides share: identifier, reason, expiry. */
export const EntryFields = z
  .object({
    type: IdentifierTypeSchema,
    identifier: z.string().min(1, 'Enter an address or a user id.'),
    reason: ReasonInput,
    expiry: ExpiryChoice,
  })
  .transform((entry) => (entry.type === 'ip' ? { ...entry, identifier: entry.identifier.trim() } : entry))
  .superRefine(({ type, identifier }, context) => {
    if (identifier === '' || canonicalIdentifier(type, identifier) !== null) return;
    context.addIssue({
      code: 'custom',
      path: ['identifier'],
      message:
        type === 'ip'
          ? 'Enter an IPv4 or IPv6 address, or a range such as 10.0.0.0/24.'
          : 'A user id has 1 to 256 characters and no control characters.',
    });
  });

type EntryValues = z.input<typeof EntryFields>;

/**
 * Returns the initial values of a form that edits `entry` or starts with `target`. `preset` is the expiry of a new
 * entry.
 */
export function entryValues(
  target: Target | undefined,
  entry: (Target & { reason: string; expires_at: string | null }) | undefined,
  preset: ExpiryChoice['preset'],
): EntryValues {
  const { type, identifier } = entry ?? target ?? { type: 'ip', identifier: '' };
  const expiry = entry ? expiryChoice(entry.expires_at) : { preset, custom: '' };
  return { type, identifier, reason: entry?.reason ?? '', expiry };
}

export interface EntryDialogProps<Entry> {
  initial?: Target;
  row?: Entry;
  onClose: () => void;
}

interface EntryInputsProps {
  locked: boolean;
  reasonExample: string;
  /** Note at the identifier, for example that it has an entry already. */
  note?: ReactNode;
  children?: ReactNode;
}

/** Inputs of `EntryFields`, inside a `FormProvider`. They warn of wide ranges. `children` come before the reason. */
export function EntryInputs(props: EntryInputsProps) {
  const { locked, reasonExample, note, children } = props;
  const { control, setValue } = useFormContext<EntryValues>();
  const own = useClientAddress();
  const longest = useLongestLife();
  const [type, identifier] = useWatch({ control, name: ['type', 'identifier'] });
  const warning = type === 'ip' ? wideRangeWarning(identifier) : null;
  return (
    <>
      <Segmented
        label="Kind of identifier"
        className="w-full"
        value={type}
        disabled={locked}
        onChange={(next) => setValue('type', next, { shouldDirty: true })}
        options={[
          { value: 'ip', label: 'IP address or range' },
          { value: 'user_id', label: 'User' },
        ]}
      />
      <TextField
        control={control}
        name="identifier"
        label={type === 'ip' ? 'Address or range' : 'User id'}
        placeholder={type === 'ip' ? '203.0.113.7, 10.0.0.0/24 or 2001:db8::/48' : 'user_1234'}
        hint={type === 'ip' ? 'IPv6 addresses are counted by their /64 network.' : 'Case-sensitive.'}
        code
        disabled={locked}
        autoComplete="off"
        suffix={
          type === 'ip' && own && !locked ? (
            <Button
              variant="outline"
              onClick={() => setValue('identifier', own, { shouldDirty: true, shouldValidate: true })}
            >
              <LocateFixed aria-hidden /> My address
            </Button>
          ) : null
        }
      />
      <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
        {warning ? (
          <Alert variant="warning" title="A wide range">
            {warning} This applies to all of them.
          </Alert>
        ) : null}
        {note}
      </div>
      {children}
      <ReasonField control={control} name="reason" example={reasonExample} />
      <ExpiryField control={control} name="expiry" longest={longestEnd(longest)} />
    </>
  );
}

/** Prefix lengths. Shorter prefixes trigger a warning. */
const WIDE = { 4: 24, 6: 48 } as const;
const BITS = { 4: 32, 6: 128 } as const;

/**
 * Returns the number of addresses in a CIDR range wider than /24 (IPv4) or /48 (IPv6), as text. Null for narrower
 * ranges.
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
    ? `/${prefix} covers ${formatNumber(2 ** (WIDE[6] - prefix))} networks of a typical site.`
    : `/${prefix} is wider than the network of a whole provider.`;
}
