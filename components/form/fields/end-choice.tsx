import { useId } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import type { FormFieldProps } from '@/components/form/fields/field';
import { formatAbsoluteTime, formatWallClock, nameZone, parseWallClock } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { Segmented } from '@/components/ui/segmented';

/** Form value of an end: a preset, or `custom` with an RFC 3339 time that is empty until chosen. */
interface Choice<Preset extends string> {
  preset: Preset | 'custom';
  custom: string;
}

interface EndChoiceProps<Values extends FieldValues, Context, Output, Preset extends string>
  extends Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name'> {
  label: string;
  /** Label of the date and time input. */
  customLabel: string;
  presets: readonly { value: Preset; label: string; name?: string }[];
  /** Returns the chosen time, empty if none is chosen, or a note if there is no end. `now` is in milliseconds. */
  computeEnd: (choice: Choice<Preset>, now: number, zone: string) => string | { note: string };
}

/** Chooses an end: a preset, or a date and time. It shows the resulting time in the reader's zone. */
export function EndChoice<Values extends FieldValues, Context, Output, Preset extends string>(
  props: EndChoiceProps<Values, Context, Output, Preset>,
) {
  const { control, name, label, customLabel, presets, computeEnd } = props;
  const id = useId();
  const now = useNow();
  const { zone } = useTimeZone();
  const { field, fieldState } = useController({ control, name });
  const choice: Choice<Preset> = field.value;
  const error = (fieldState.error as { custom?: { message?: string } } | undefined)?.custom?.message;
  const end = computeEnd(choice, now ?? 0, zone);
  /** Starts a date of one's own with the end of the preset. */
  const chooseCustomStart = (preset: string) =>
    preset === 'custom' && choice.custom === '' && typeof end === 'string' ? end : choice.custom;
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">{label}</span>
      <Segmented
        label={label}
        className="w-full max-sm:[&_button]:px-1.5"
        value={choice.preset}
        onChange={(preset) => field.onChange({ preset, custom: chooseCustomStart(preset) })}
        options={[...presets, { value: 'custom', label: 'Custom' }]}
      />
      {choice.preset === 'custom' ? (
        <>
          <Label htmlFor={id} className="sr-only">
            {customLabel}
          </Label>
          <Input
            id={id}
            type="datetime-local"
            ref={field.ref}
            value={formatWallClock(choice.custom, zone)}
            aria-invalid={error ? true : undefined}
            aria-describedby={`${id}-note`}
            onChange={(event) => field.onChange({ ...choice, custom: parseWallClock(event.target.value, zone) })}
          />
        </>
      ) : null}
      <p id={`${id}-note`} className={error ? 'text-xs text-destructive-text' : 'text-xs text-muted-foreground'}>
        {error ?? formatNote(end, now, zone)}
      </p>
    </div>
  );
}

function formatNote(end: string | { note: string }, now: number | null, zone: string): string {
  if (typeof end === 'object') return end.note;
  return now === null || end === ''
    ? `The time in ${nameZone(now ?? 0, zone)}.`
    : `Ends ${formatAbsoluteTime(end, zone)}.`;
}
