import { ToggleGroup } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { useDenial } from '@/components/ui/denial';

interface SegmentedProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: ReactNode; name?: string }[];
  className?: string;
  disabled?: boolean;
}

export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, value, onChange, options, className, disabled } = props;
  const denied = useDenial({});
  return (
    <>
      <ToggleGroup.Root
        type="single"
        aria-label={label}
        value={value}
        disabled={disabled}
        onValueChange={(next) => {
          if (next !== '' && denied === null) onChange(next as Value);
        }}
        className={cn('inline-flex h-8 w-fit items-center gap-0.5 rounded-md bg-muted p-0.5', className)}
      >
        {options.map((option) => (
          <ToggleGroup.Item
            key={option.value}
            value={option.value}
            aria-label={option.name}
            {...denied?.props}
            className="inline-flex h-7 min-w-7 flex-auto items-center justify-center rounded-sm px-2.5 text-sm font-medium whitespace-nowrap text-muted-foreground transition-colors hover:text-foreground disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 data-[state=on]:bg-card data-[state=on]:text-foreground data-[state=on]:ring-1 data-[state=on]:ring-border"
          >
            {option.label}
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
      {denied?.tip}
    </>
  );
}
