import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from '@/components/ui/cn';
import { useDenial } from '@/components/ui/denial';

interface NativeSelectProps extends Omit<ComponentProps<'select'>, 'children'> {
  options: readonly { value: string; label: string }[];
}

/** Prevents the browser from opening the list by pointer, touch or key. */
const CLOSED: Pick<ComponentProps<'select'>, 'onMouseDown' | 'onTouchEnd' | 'onKeyDown' | 'onChange'> = {
  onMouseDown: (event) => {
    event.preventDefault();
    event.currentTarget.focus();
  },
  onTouchEnd: (event) => {
    event.preventDefault();
    event.currentTarget.focus();
  },
  onKeyDown: (event) => {
    if (event.key !== 'Tab') event.preventDefault();
  },
  onChange: () => undefined,
};

/** Native select for short options in tight spaces. It loads no extra code. */
export function NativeSelect({ className, options, ...props }: NativeSelectProps) {
  const denied = useDenial(props);
  return (
    <span className={cn('relative inline-flex', className)}>
      <select
        className="h-full min-h-7 w-full min-w-0 appearance-none rounded-md border border-input bg-card py-0 pr-7 pl-2.5 text-sm transition-colors hover:bg-accent/50 disabled:cursor-not-allowed disabled:opacity-60 aria-disabled:cursor-not-allowed aria-disabled:opacity-60 [&>option]:bg-popover"
        {...props}
        {...denied?.props}
        {...(denied ? CLOSED : {})}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {denied?.tip}
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2 size-4 -translate-y-1/2 text-muted-foreground"
      />
    </span>
  );
}
