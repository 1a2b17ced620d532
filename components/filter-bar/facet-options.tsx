'use client';

import { useId } from 'react';
import { Checkbox } from '@/components/ui/checkbox';

export interface FacetOption {
  value: string;
  label: string;
  /** How many rows have it, where that is known. */
  count?: number;
}

/** The values to choose from. */
export function FacetOptions({
  options,
  chosen,
  single,
  onChange,
}: {
  options: readonly FacetOption[];
  chosen: readonly string[];
  single?: boolean;
  onChange: (values: readonly string[]) => void;
}) {
  const id = useId();
  return (
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
  );
}
