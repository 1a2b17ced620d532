import { useId } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { z } from 'zod';
import type { FormFieldProps } from '@/components/form/field';
import { formatInstant, instantOf, wallClock, zoneName } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { endOfFriday, endOfToday } from '@/components/keys/until';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { Segmented } from '@/components/ui/segmented';

/** The end of a day or of the month, or an instant as RFC 3339; while no date and time are chosen it is empty. */
export const UntilChoice = z
  .object({ preset: z.enum(['today', 'friday', 'reset', 'custom']), custom: z.string() })
  .refine((choice) => choice.preset !== 'custom' || Date.parse(choice.custom) > Date.now(), {
    error: 'Choose a time in the future.',
    path: ['custom'],
  });
type UntilChoice = z.infer<typeof UntilChoice>;

/** The chosen instant; empty while there is none. */
export function untilInstant(
  { preset, custom }: UntilChoice,
  { now, zone, resetAt }: { now: number; zone: string; resetAt: string },
): string {
  if (preset === 'today') return endOfToday(now, zone);
  if (preset === 'friday') return endOfFriday(now, zone);
  return preset === 'reset' ? resetAt : custom;
}

/** Until when something holds that ends by itself. */
export function UntilField<Values extends FieldValues, Context, Output>(
  props: Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name'> & { resetAt: string },
) {
  const id = useId();
  const now = useNow();
  const { zone } = useTimeZone();
  const { field, fieldState } = useController({ control: props.control, name: props.name });
  const choice: UntilChoice = field.value;
  const error = (fieldState.error as { custom?: { message?: string } } | undefined)?.custom?.message;
  const ends = now === null ? '' : untilInstant(choice, { now, zone, resetAt: props.resetAt });
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">Until</span>
      <Segmented
        label="Until"
        className="w-full max-sm:[&_button]:px-1.5"
        value={choice.preset}
        onChange={(preset) => field.onChange({ ...choice, preset })}
        options={[
          { value: 'today', label: 'Tonight' },
          { value: 'friday', label: 'Friday' },
          { value: 'reset', label: 'Reset' },
          { value: 'custom', label: 'Custom' },
        ]}
      />
      {choice.preset === 'custom' ? (
        <>
          <Label htmlFor={id} className="sr-only">
            Date and time of the end
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
        {error ?? (ends === '' ? `The time in ${zoneName(now ?? 0, zone)}.` : `Ends ${formatInstant(ends, zone)}.`)}
      </p>
    </div>
  );
}
