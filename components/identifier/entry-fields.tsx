import { LocateFixed } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { buildExpiryChoice, ExpiryChoice, ExpiryField } from '@/components/form/fields/expiry-field';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { TextField } from '@/components/form/fields/text-field';
import { KindChoice } from '@/components/identifier/kind-choice';
import { RangeConfirmation, RangeNotes } from '@/components/identifier/range-notes';
import type { Target } from '@/components/links/target';
import { buildLongestEnd, useLongestLife } from '@/components/policies/longest-life';
import { useClientAddress } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { IdentifierTypeSchema, type OverriddenType } from '@/lib/contract/fields/enumerations';
import { parseIdentifier } from '@/lib/contract/fields/identifier';
import { isConfirmed } from '@/lib/contract/fields/wide-range';

/** Fields that allowlist entries and overrides share: identifier, reason, expiry. */
export const EntryFields = z
  .object({
    type: IdentifierTypeSchema,
    identifier: z.string().min(1, 'Enter an address or a user id.'),
    reason: ReasonInput,
    expiry: ExpiryChoice,
    /** A very wide range once more. */
    confirm: z.string().default(''),
  })
  .transform((entry) => (entry.type === 'ip' ? { ...entry, identifier: entry.identifier.trim() } : entry))
  .superRefine(({ type, identifier }, context) => {
    if (identifier === '' || parseIdentifier(type, identifier) !== null) return;
    context.addIssue({
      code: 'custom',
      path: ['identifier'],
      message:
        type === 'ip'
          ? 'Enter an IPv4 or IPv6 address, or a range such as 10.0.0.0/24.'
          : 'A user id has 1 to 256 characters and no control characters.',
    });
  })
  .superRefine(({ type, identifier, confirm }, context) => {
    if (isConfirmed(type, identifier, confirm)) return;
    context.addIssue({ code: 'custom', path: ['confirm'], message: 'Type the range once more.' });
  });

type EntryValues = z.input<typeof EntryFields>;

/**
 * Returns the initial values of a form that edits `entry` or starts with `target`. `preset` is the expiry of a new
 * entry.
 */
export function buildEntryValues(
  target: Target | undefined,
  entry: (Target & { reason: string; expires_at: string | null }) | undefined,
  preset: ExpiryChoice['preset'],
): EntryValues {
  const { type, identifier } = entry ?? target ?? { type: 'ip', identifier: '' };
  const expiry = entry ? buildExpiryChoice(entry.expires_at) : { preset, custom: '' };
  // An edited entry exists, so its range is confirmed.
  return { type, identifier, reason: entry?.reason ?? '', expiry, confirm: entry?.identifier ?? '' };
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
  /** Offers the subject of a named limit as a third kind, and switches to its form. */
  onSubject?: (() => void) | undefined;
  children?: ReactNode;
}

/** Inputs of `EntryFields`, inside a `FormProvider`. They warn of wide ranges. `children` come before the reason. */
export function EntryInputs(props: EntryInputsProps) {
  const { locked, reasonExample, note, onSubject, children } = props;
  const { control, setValue } = useFormContext<EntryValues>();
  const own = useClientAddress();
  const longest = useLongestLife();
  const [type, identifier] = useWatch({ control, name: ['type', 'identifier'] });
  return (
    <>
      <KindChoice
        kinds={onSubject === undefined || locked ? ['ip', 'user_id'] : ['ip', 'user_id', 'subject']}
        value={type}
        disabled={locked}
        onChange={(next: OverriddenType) => {
          if (next === 'subject') onSubject?.();
          else setValue('type', next, { shouldDirty: true });
        }}
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
        <RangeNotes type={type} identifier={identifier} />
        {note}
      </div>
      {children}
      {locked ? null : <RangeConfirmation type={type} identifier={identifier} />}
      <ReasonField control={control} name="reason" example={reasonExample} />
      <ExpiryField control={control} name="expiry" longest={buildLongestEnd(longest)} />
    </>
  );
}
