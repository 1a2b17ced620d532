import { useId } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { z } from 'zod';
import type { FormFieldProps } from '@/components/form/field';
import { formatInstant, instantOf, wallClock, zoneName } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { Segmented } from '@/components/ui/segmented';

const HOUR = 3_600;
const DAY = 86_400;

const PRESETS = {
  '1h': { seconds: HOUR, label: '1 h', name: 'In one hour' },
  '1d': { seconds: DAY, label: '1 d', name: 'In one day' },
  '7d': { seconds: 7 * DAY, label: '7 d', name: 'In seven days' },
  '30d': { seconds: 30 * DAY, label: '30 d', name: 'In 30 days' },
  '90d': { seconds: 90 * DAY, label: '90 d', name: 'In 90 days' },
  '365d': { seconds: 365 * DAY, label: '365 d', name: 'In 365 days' },
} as const;

/** For exceptions, which are meant to end soon. */
const SHORT: readonly (keyof typeof PRESETS)[] = ['1h', '1d', '7d'];
/** For credentials. */
export const LONG: readonly (keyof typeof PRESETS)[] = ['30d', '90d', '365d'];

/** A preset, never, or an instant as RFC 3339; while no date and time are chosen it is empty. */
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

/** The chosen instant as the API takes it. `now` in milliseconds. */
export function expiryInstant(choice: ExpiryChoice, now: number): string | null {
  if (choice.preset === 'never') return null;
  const at = choice.preset === 'custom' ? Date.parse(choice.custom) : now + PRESETS[choice.preset].seconds * 1000;
  return new Date(at).toISOString();
}

export function expiryChoice(instant: string | null): ExpiryChoice {
  if (instant === null) return { preset: 'never', custom: '' };
  return { preset: 'custom', custom: instant };
}

export function ExpiryField<Values extends FieldValues, Context, Output>(
  props: Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name'> & { presets?: typeof SHORT },
) {
  const { presets = SHORT } = props;
  const id = useId();
  const now = useNow();
  const { zone } = useTimeZone();
  const { field, fieldState } = useController({ control: props.control, name: props.name });
  const choice: ExpiryChoice = field.value;
  const error = (fieldState.error as { custom?: { message?: string } } | undefined)?.custom?.message;
  const valid = ExpiryChoice.safeParse(choice).success;
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">Expires</span>
      <Segmented
        label="Expires"
        className="w-full max-sm:[&_button]:px-1.5"
        value={choice.preset}
        onChange={(preset) => field.onChange({ ...choice, preset })}
        options={[
          ...presets.map((value) => ({ value, label: PRESETS[value].label, name: PRESETS[value].name })),
          { value: 'never', label: 'Never' },
          { value: 'custom', label: 'Custom' },
        ]}
      />
      {choice.preset === 'custom' ? (
        <>
          <Label htmlFor={id} className="sr-only">
            Expiry date and time
          </Label>
          <Input
            id={id}
            type="datetime-local"
            ref={field.ref}
            value={wallClock(choice.custom, zone)}
            aria-invalid={error ? true : undefined}
            aria-describedby={`${id}-note`}
            onChange={(event) => field.onChange({ ...choice, custom: instantOf(event.target.value, zone) })}
          />
        </>
      ) : null}
      <p id={`${id}-note`} className={error ? 'text-xs text-destructive-text' : 'text-xs text-muted-foreground'}>
        {error ?? note(choice, valid, now, zone)}
      </p>
    </div>
  );
}

function note(choice: ExpiryChoice, valid: boolean, now: number | null, zone: string): string {
  if (choice.preset === 'never') return 'Stays until it is removed.';
  const instant = valid && now !== null ? expiryInstant(choice, now) : null;
  return instant === null ? `The time in ${zoneName(now ?? 0, zone)}.` : `Ends ${formatInstant(instant, zone)}.`;
}
