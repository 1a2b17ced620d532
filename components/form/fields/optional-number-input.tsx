import type { ComponentProps } from 'react';
import { NumberInput } from '@/components/form/fields/number-input';

interface OptionalNumberInputProps extends Omit<ComponentProps<typeof NumberInput>, 'value' | 'onChange'> {
  value: number | null;
  onChange: (value: number | null) => void;
}

/** Number input whose value may be missing. An empty input is null. */
export function OptionalNumberInput({ value, onChange, ...rest }: OptionalNumberInputProps) {
  return (
    <NumberInput
      {...rest}
      value={value ?? Number.NaN}
      onChange={(entered, text) => onChange(text.trim() === '' ? null : entered)}
    />
  );
}
