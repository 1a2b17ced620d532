import { useController, useFormContext } from 'react-hook-form';
import { z } from 'zod';
import { Field } from '@/components/form/fields/field';
import { TextField } from '@/components/form/fields/text-field';
import { WindowInput } from '@/components/form/fields/window-input';
import { LimitSchema } from '@/lib/contract/policies';

const number = z.string().trim().min(1, 'Enter a whole number.').pipe(z.coerce.number<string>('Enter a whole number.'));

/** Fields of a form for a limit of one window. The form holds both as typed text. */
export const typedLimitFields = {
  limit: number.pipe(LimitSchema.shape.limit),
  window_seconds: number.pipe(LimitSchema.shape.window_seconds),
};

interface TypedLimit {
  limit: string;
  window_seconds: string;
}

/** Inputs for a limit of one window. Inside a `FormProvider`. */
export function TypedLimitInputs() {
  const { control } = useFormContext<TypedLimit>();
  const { field, fieldState } = useController({ control, name: 'window_seconds' });
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField control={control} name="limit" label="Requests" inputMode="numeric" autoComplete="off" />
      <Field label="Window" error={fieldState.error?.message}>
        {(ids) => (
          <WindowInput
            {...ids}
            {...field}
            label="Window"
            value={field.value === '' ? Number.NaN : Number(field.value)}
            onChange={(seconds) => field.onChange(Number.isNaN(seconds) ? '' : String(seconds))}
          />
        )}
      </Field>
    </div>
  );
}
