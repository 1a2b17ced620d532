import { type ComponentProps, useState } from 'react';
import { NumberInput } from '@/components/form/fields/number-input';
import { cn } from '@/components/ui/cn';
import { NativeSelect } from '@/components/ui/native-select';

const UNITS = [
  { value: '1', label: 's', name: 'seconds' },
  { value: '60', label: 'min', name: 'minutes' },
  { value: '3600', label: 'h', name: 'hours' },
  { value: '86400', label: 'd', name: 'days' },
] as const;

/** Returns the largest unit that divides a window, in seconds. */
export function chooseUnit(seconds: unknown): number {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1) return 1;
  return Number(UNITS.findLast(({ value }) => seconds % Number(value) === 0)?.value ?? 1);
}

interface WindowInputProps extends Omit<ComponentProps<typeof NumberInput>, 'aria-label' | 'onChange'> {
  onChange: (seconds: number) => void;
  /** Offers a calendar month, whose `value` is `month`. */
  onMonth?: () => void;
  /** Accessible name of the number. The unit select appends ", unit". */
  label: string;
}

/** Edits a window length as number and unit. `value` and `onChange` are in seconds. */
export function WindowInput({ value, onChange, onMonth, label, ...props }: WindowInputProps) {
  const [edited, setEdited] = useState({ unit: chooseUnit(value), seconds: value });
  // A reset or a draft has changed the value from outside.
  if (!Object.is(edited.seconds, value) && !(Number.isNaN(edited.seconds) && value === null)) {
    setEdited({ unit: chooseUnit(value), seconds: value });
  }
  const { unit } = edited;
  const set = (amount: number, length: number) => {
    // Rounding makes 1.1 min 66 s, not 66.00000000000001.
    const seconds = Math.round(amount * length * 1000) / 1000;
    setEdited({ unit: length, seconds });
    onChange(seconds);
  };
  const isMonth = value === 'month';
  const amount = typeof value === 'number' ? value / unit : Number.NaN;
  return (
    <span className="flex items-center gap-1">
      {isMonth ? null : (
        <NumberInput
          {...props}
          aria-label={label}
          value={amount}
          onChange={(next) => set(next, unit)}
          className="w-18"
        />
      )}
      <NativeSelect
        aria-label={`${label}, unit`}
        className={cn('h-8 text-foreground', onMonth ? 'w-24' : 'w-18')}
        value={isMonth ? 'month' : String(unit)}
        onChange={({ target }) =>
          target.value === 'month' ? onMonth?.() : set(isMonth ? 1 : amount, Number(target.value))
        }
        options={onMonth ? [...UNITS, { value: 'month', label: 'month' }] : UNITS}
      />
    </span>
  );
}
