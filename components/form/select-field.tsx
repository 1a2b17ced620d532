'use client';

import { type FieldValues, useController } from 'react-hook-form';
import { Field, type FormFieldProps } from '@/components/form/field';
import { Select, SelectContent, SelectItem, SelectTrigger, SelectValue } from '@/components/ui/select';

interface SelectFieldProps<Values extends FieldValues, Context, Output>
  extends FormFieldProps<Values, Context, Output> {
  options: readonly { value: string; label: string; hint?: string }[];
}

/** One choice of a list in a form. */
export function SelectField<Values extends FieldValues, Context, Output>(
  props: SelectFieldProps<Values, Context, Output>,
) {
  const { control, name, label, hint, options, disabled, className } = props;
  const { field, fieldState } = useController({ control, name });
  return (
    <Field label={label} hint={hint} error={fieldState.error?.message} className={className}>
      {(ids) => (
        <Select value={field.value} onValueChange={field.onChange} disabled={disabled}>
          <SelectTrigger {...ids} ref={field.ref} onBlur={field.onBlur}>
            <SelectValue />
          </SelectTrigger>
          <SelectContent>
            {options.map((option) => (
              <SelectItem key={option.value} value={option.value} hint={option.hint}>
                {option.label}
              </SelectItem>
            ))}
          </SelectContent>
        </Select>
      )}
    </Field>
  );
}
