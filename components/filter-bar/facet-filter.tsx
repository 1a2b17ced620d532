'use client';

import { ListFilter } from 'lucide-react';
import { useId } from 'react';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/checkbox';
import { cn } from '@/components/ui/cn';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover';

export interface FacetOption {
  value: string;
  label: string;
  /** How many rows have it, where that is known. */
  count?: number;
}

/** Any of a few values, or one of them. */
export function FacetFilter({
  label,
  options,
  chosen,
  single,
  onChange,
}: {
  label: string;
  options: readonly FacetOption[];
  chosen: readonly string[];
  /** Only one value at a time. */
  single?: boolean;
  onChange: (values: readonly string[]) => void;
}) {
  const id = useId();
  const names = options.filter((option) => chosen.includes(option.value)).map((option) => option.label);
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button
          variant="outline"
          className={cn('font-normal', names.length > 0 && 'border-primary/50 bg-primary-soft')}
        >
          <ListFilter aria-hidden className="text-muted-foreground" />
          {label}
          {names.length > 0 ? (
            <span className="font-medium">{names.length > 2 ? names.length : names.join(', ')}</span>
          ) : null}
        </Button>
      </PopoverTrigger>
      <PopoverContent className="w-52" aria-label={label}>
        <ul>
          {options.map((option) => (
            <li key={option.value}>
              <label
                htmlFor={`${id}-${option.value}`}
                className="flex min-h-8 items-center gap-2.5 rounded-sm px-2 text-sm hover:bg-accent"
              >
                <Checkbox
                  id={`${id}-${option.value}`}
                  checked={chosen.includes(option.value)}
                  onCheckedChange={(checked) =>
                    onChange(
                      checked === true
                        ? [...(single ? [] : chosen), option.value]
                        : chosen.filter((value) => value !== option.value),
                    )
                  }
                />
                <span className="flex-1">{option.label}</span>
                {option.count === undefined ? null : (
                  <span className="text-xs text-muted-foreground tabular-nums">{option.count}</span>
                )}
              </label>
            </li>
          ))}
        </ul>
      </PopoverContent>
    </Popover>
  );
}
