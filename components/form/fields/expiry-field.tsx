import type { FieldValues } from 'react-hook-form';
import { z } from 'zod';
import { EndChoice } from '@/components/form/fields/end-choice';
import type { FormFieldProps } from '@/components/form/fields/field';
import { DAY, HOUR } from '@/lib/units';

const PRESETS = {
  '1h': { length: HOUR, label: '1 h', name: 'In one hour' },
  '1d': { length: DAY, label: '1 d', name: 'In one day' },
  '7d': { length: 7 * DAY, label: '7 d', name: 'In seven days' },
  '30d': { length: 30 * DAY, label: '30 d', name: 'In 30 days' },
  '90d': { length: 90 * DAY, label: '90 d', name: 'In 90 days' },
  '365d': { length: 365 * DAY, label: '365 d', name: 'In 365 days' },
} as const;

/** Presets for exemptions, which should end soon. */
const SHORT: readonly (keyof typeof PRESETS)[] = ['1h', '1d', '7d'];
/** Presets for credentials. */
export const LONG: readonly (keyof typeof PRESETS)[] = ['30d', '90d', '365d'];

/** Chosen expiry: a preset, never, or an RFC 3339 time. The time is empty until date and time are chosen. */
export const ExpiryChoice = z
  .object({ preset: z.enum(['1h', '1d', '7d', '30d', '90d', '365d', 'never', 'custom']), custom: z.string() })
  .refine((choice) => choice.preset !== 'custom' || !Number.isNaN(Date.parse(choice.custom)), {
    error: 'Choose a date and a time.',
    path: ['custom'],
  })
  .refine((choice) => choice.preset !== 'custom' || !(Date.parse(choice.custom) <= Date.now()), {
    error: 'Choose a time in the future.',
    path: ['custom'],
  });
export type ExpiryChoice = z.infer<typeof ExpiryChoice>;

/** Converts the choice for the API. `now` is in milliseconds. */
export function computeExpiry(choice: ExpiryChoice, now: number): string | null {
  if (choice.preset === 'never') return null;
  const at = choice.preset === 'custom' ? Date.parse(choice.custom) : now + PRESETS[choice.preset].length;
  return new Date(at).toISOString();
}

export function buildExpiryChoice(timestamp: string | null): ExpiryChoice {
  if (timestamp === null) return { preset: 'never', custom: '' };
  return { preset: 'custom', custom: timestamp };
}

export function ExpiryField<Values extends FieldValues, Context, Output>(
  props: Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name'> & {
    presets?: typeof SHORT;
    /** True if "never" is offered. */
    never?: boolean;
    /** Maximum duration in days, and the error text for a later end. */
    longest?: { days: number; note: string } | null;
  },
) {
  const { control, name, presets = SHORT, never = true, longest = null } = props;
  const offered = presets.filter((value) => longest === null || PRESETS[value].length <= longest.days * DAY);
  return (
    <EndChoice
      control={control}
      name={name}
      label="Expires"
      customLabel="Expiry date and time"
      presets={[
        ...offered.map((value) => ({ value, label: PRESETS[value].label, name: PRESETS[value].name })),
        ...(never && longest === null ? [{ value: 'never' as const, label: 'Never' }] : []),
      ]}
      computeEnd={(choice, now) => {
        const end = computeEnd(choice, now);
        if (longest === null || now === 0 || end === '') return end;
        const isTooLong = typeof end === 'object' || Date.parse(end) > now + longest.days * DAY;
        return isTooLong ? { note: longest.note } : end;
      }}
    />
  );
}

function computeEnd(choice: ExpiryChoice, now: number) {
  if (choice.preset === 'never') return { note: 'Does not expire.' };
  return (ExpiryChoice.safeParse(choice).success && computeExpiry(choice, now)) || '';
}
