import { parseAsString, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

/** Fields that a click on a value filters by. They equal the facet names. */
export type FilteredBy =
  | 'class'
  | 'outcome'
  | 'reason'
  | 'ip'
  | 'user_id'
  | 'api_key_id'
  | 'identifier'
  | 'limit_subject'
  | 'limit_name'
  | 'method'
  | 'path'
  | 'source'
  | 'request_id';

interface FilterValueProps {
  by: FilteredBy;
  value: string;
  children?: ReactNode;
  className?: string;
  /** Runs after the filter is set, for example to close the drawer. */
  onFilter?: () => void;
}

/** Shows a value of a decision. A click adds it to the filters. */
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
