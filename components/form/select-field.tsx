'use client';

import type { ReactNode } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { Field } from '@/components/form/field';
import { Select, SelectContent, SelectItem, SelectTrigger, SelectValue } from '@/components/ui/select';

/** One choice of a list in a form. */
export function SelectField<Values extends FieldValues, Context, Output>({
  control,
  name,
  label,
  hint,
  options,
  disabled,
  className,
}: {
  control: Control<Values, Context, Output>;
  name: FieldPath<Values>;
  label: ReactNode;
  hint?: ReactNode;
  options: readonly { value: string; label: string; hint?: string }[];
  disabled?: boolean;
  className?: string;
}) {
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
