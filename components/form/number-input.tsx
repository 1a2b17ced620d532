import { type ComponentProps, useState } from 'react';
import { formatNumber } from '@/components/format/number';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';

interface NumberInputProps extends Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'type' | 'inputMode'> {
  /** Anything that is no number shows as typed, or empty. */
  value: unknown;
  /** NaN while what is typed is no number. */
  onChange: (value: number, text: string) => void;
}

/** `5,000` and `5000`, without units. NaN for anything else. */
export function parseNumber(text: string): number {
  const plain = text.replace(/[\s,_]/g, '');
  return /^-?\d*\.?\d+$/.test(plain) ? Number(plain) : Number.NaN;
}

const shown = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? formatNumber(value) : '');

/** A number with thousands separators, which may be typed with or without them. */
export function NumberInput({ value, onChange, onBlur, className, ...props }: NumberInputProps) {
  const [text, setText] = useState(() => shown(value));
  const typed = parseNumber(text);
  const known = typeof value === 'number' ? value : Number.NaN;
  // Set from outside, by a reset or a draft.
  if (!Object.is(typed, known) && shown(known) !== text) setText(shown(known));
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
        if (!Number.isNaN(typed)) setText(shown(typed));
        onBlur?.(event);
      }}
    />
  );
}
