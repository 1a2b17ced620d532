'use client';

import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { TextField } from '@/components/form/text-field';

/** Requests and window of one limit. */
export function LimitInputs<Values extends FieldValues, Context, Output>({
  control,
  limit,
  window,
  disabled,
}: {
  control: Control<Values, Context, Output>;
  limit: FieldPath<Values>;
  window: FieldPath<Values>;
  disabled?: boolean;
}) {
  return (
    <>
      <TextField
        control={control}
        name={limit}
        label="Requests"
        inputMode="numeric"
        autoComplete="off"
        disabled={disabled}
      />
      <TextField
        control={control}
        name={window}
        label="Window in seconds"
        inputMode="numeric"
        autoComplete="off"
        disabled={disabled}
      />
    </>
  );
}
