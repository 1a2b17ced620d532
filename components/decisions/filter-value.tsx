import { parseAsString, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

/** Fields that a click on a value of a decision filters by: the names of the facets. */
export type FilteredBy =
  | 'class'
  | 'outcome'
  | 'reason'
  | 'ip'
  | 'user_id'
  | 'api_key_id'
  | 'identifier'
  | 'method'
  | 'path'
  | 'source'
  | 'request_id';

interface FilterValueProps {
  by: FilteredBy;
  value: string;
  children?: ReactNode;
  className?: string;
  /** After the filter is set, as to close the drawer that the value is in. */
  onFilter?: () => void;
}

/** A value of a decision; a click narrows the list to those that have it, too. */
export function FilterValue({ by, value, children = value, className, onFilter }: FilterValueProps) {
  const [, setValue] = useQueryState(by, parseAsString.withOptions({ history: 'push' }));
  const filter = () => {
    void setValue(value);
    onFilter?.();
  };
  return (
    <button
      type="button"
      onClick={filter}
      title={`Only ${value}`}
      className={cn('max-w-full min-w-0 rounded-xs text-left underline-offset-4 hover:underline', className)}
    >
      {children}
    </button>
  );
}
