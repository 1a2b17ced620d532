import { type ComponentProps, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';
import { formatNumber } from '@/lib/format-number';

interface NumberInputProps extends Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'type' | 'inputMode'> {
  /** Values that are not numbers are shown as typed, or empty. */
  value: unknown;
  /** Receives NaN if the text is not a number. */
  onChange: (value: number, text: string) => void;
}

/** Parses `5,000` and `5000`, without units. Returns NaN for anything else. */
export function parseNumber(text: string): number {
  const plain = text.replace(/[\s,_]/g, '');
  return /^-?\d*\.?\d+$/.test(plain) ? Number(plain) : Number.NaN;
}

const formatValue = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? formatNumber(value) : '';

/** Number input that shows thousands separators and accepts numbers with or without them. */
export function NumberInput({ value, onChange, onBlur, className, ...props }: NumberInputProps) {
  const [text, setText] = useState(() => formatValue(value));
  const typed = parseNumber(text);
  const currentNumber = typeof value === 'number' ? value : Number.NaN;
  // A reset or a draft has changed the value from outside.
  if (!Object.is(typed, currentNumber) && formatValue(currentNumber) !== text) setText(formatValue(currentNumber));
  return (
    <Input
      {...props}
      inputMode="decimal"
      autoComplete="off"
      value={text}
      className={cn('text-right tabular-nums', className)}
      onChange={(event) => {
        setText(event.target.value);
        onChange(parseNumber(event.target.value), event.target.value);
      }}
      onBlur={(event) => {
        if (!Number.isNaN(typed)) setText(formatValue(typed));
        onBlur?.(event);
      }}
    />
  );
}
