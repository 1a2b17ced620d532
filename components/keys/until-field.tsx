import type { FieldValues } from 'react-hook-form';
import { z } from 'zod';
import { EndChoice } from '@/components/form/fields/end-choice';
import type { FormFieldProps } from '@/components/form/fields/field';
import { computeEndOfFriday, computeEndOfToday } from '@/components/keys/until';
import { explainTooLong } from '@/components/policies/longest-life';

const PRESETS = [
  { value: 'today', label: 'Tonight' },
  { value: 'friday', label: 'Friday' },
  { value: 'reset', label: 'Reset' },
] as const;

/** Chosen end: that of a day or of the month, or an RFC 3339 time. The time is empty until date and time are chosen. */
export const UntilChoice = z
  .object({ preset: z.enum(['today', 'friday', 'reset', 'custom']), custom: z.string() })
  .refine((choice) => choice.preset !== 'custom' || Date.parse(choice.custom) > Date.now(), {
    error: 'Choose a time in the future.',
    path: ['custom'],
  });
type UntilChoice = z.infer<typeof UntilChoice>;

/** Returns the chosen time. Empty if there is none. */
export function computeUntil(
  { preset, custom }: UntilChoice,
  { now, zone, resetAt }: { now: number; zone: string; resetAt: string },
): string {
  if (preset === 'today') return computeEndOfToday(now, zone);
  if (preset === 'friday') return computeEndOfFriday(now, zone);
  return preset === 'reset' ? resetAt : custom;
}

/** Field for the end of a grant: a preset, such as the end of the key's month, or a time. */
export function UntilField<Values extends FieldValues, Context, Output>(
  props: Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name'> & {
    resetAt: string;
    /** Maximum duration in days, from the policies. Null if there is no maximum. */
    longest: number | null;
  },
) {
  const { control, name, resetAt, longest } = props;
  return (
    <EndChoice
      control={control}
      name={name}
      label="Until"
      customLabel="Date and time of the end"
      presets={PRESETS}
      computeEnd={(choice, now, zone) => {
        const end = computeUntil(choice, { now, zone, resetAt });
        const note = now === 0 || end === '' ? null : explainTooLong(longest, end, now);
        return note === null ? end : { note };
      }}
    />
  );
}
