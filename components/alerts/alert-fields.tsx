import type { ReactNode } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { Field, type FormFieldProps } from '@/components/form/fields/field';
import { NumberInput } from '@/components/form/fields/number-input';
import { SwitchField } from '@/components/form/fields/switch-field';

/** Renders one alert: its switch and its thresholds. */
export function AlertFields<Values extends FieldValues, Context, Output>({
  children,
  ...props
}: FormFieldProps<Values, Context, Output> & { children: ReactNode }) {
  return (
    <fieldset className="flex flex-col gap-2 border-b pb-3">
      <SwitchField {...props} />
      <div className="flex gap-3">{children}</div>
    </fieldset>
  );
}

export function NumberOfAlert<Values extends FieldValues, Context, Output>(
  props: FormFieldProps<Values, Context, Output>,
) {
  const { control, name, label } = props;
  const { field, fieldState } = useController({ control, name });
  return (
    <Field label={label} error={fieldState.error?.message}>
      {(ids) => (
        <NumberInput
          {...ids}
          ref={field.ref}
          value={field.value}
          onChange={field.onChange}
          onBlur={field.onBlur}
          className="max-w-32"
        />
      )}
    </Field>
  );
}
