import type { ComponentProps } from 'react';
import { NumberInput } from '@/components/form/number-input';

interface OptionalNumberInputProps extends Omit<ComponentProps<typeof NumberInput>, 'value' | 'onChange'> {
  value: number | null;
  onChange: (value: number | null) => void;
}

/** A number that may be missing: null where nothing is entered. */
export function OptionalNumberInput({ value, onChange, ...rest }: OptionalNumberInputProps) {
  return (
    <NumberInput
      {...rest}
      value={value ?? Number.NaN}
      onChange={(entered, text) => onChange(text.trim() === '' ? null : entered)}
    />
  );
}
