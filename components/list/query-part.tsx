import type { ReactNode } from 'react';
import { FailedPart } from '@/components/list/failed-part';
import { Skeleton } from '@/components/ui/skeleton';

interface QueryPartProps<Data> {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  /** Classes of the skeleton, which set its height. */
  skeleton?: string;
  children: (data: Data) => ReactNode;
}

/**
 * Shows the data of one query without a card. It has a skeleton while loading, and the error with a retry button after
 * a failure.
 */
export function QueryPart<Data>({
  query: { data, error, refetch },
  skeleton = 'h-32',
  children,
}: QueryPartProps<Data>) {
  if (data !== undefined) return children(data);
  return error ? <FailedPart error={error} onRetry={() => void refetch()} /> : <Skeleton className={skeleton} />;
}
