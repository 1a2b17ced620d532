'use client';

import { ListFilter } from 'lucide-react';
import dynamic from 'next/dynamic';
import type { FacetOption } from '@/components/filter-bar/facet-options';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover';

const FacetOptions = dynamic(() => import('@/components/filter-bar/facet-options').then((file) => file.FacetOptions), {
  ssr: false,
});

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
        <FacetOptions options={options} chosen={chosen} single={single} onChange={onChange} />
      </PopoverContent>
    </Popover>
  );
}
