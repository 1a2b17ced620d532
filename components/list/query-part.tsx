import type { ReactNode } from 'react';
import { FailedPart } from '@/components/list/failed-part';
import { Skeleton } from '@/components/ui/skeleton';

interface QueryPartProps<Data> {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  /** Classes of the skeleton: its height. */
  skeleton?: string;
  children: (data: Data) => ReactNode;
}

/** What one query answers, without a card around it: a skeleton while it loads, the error with a retry where it failed. */
export function QueryPart<Data>({
  query: { data, error, refetch },
  skeleton = 'h-32',
  children,
}: QueryPartProps<Data>) {
  if (data !== undefined) return children(data);
  return error ? <FailedPart error={error} onRetry={() => void refetch()} /> : <Skeleton className={skeleton} />;
}
