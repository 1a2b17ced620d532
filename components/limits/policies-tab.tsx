'use client';

import { PolicyForm } from '@/components/limits/policy-form';
import { usePolicies } from '@/components/limits/use-policies';
import { ListError } from '@/components/list/list-error';
import { Skeleton } from '@/components/ui/skeleton';

/** The policies, to be edited. */
export function PoliciesTab() {
  const { data, error, refetch } = usePolicies();
  if (data) return <PolicyForm policies={data.value} etag={data.etag} />;
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      {[0, 1, 2, 3].map((index) => (
        <Skeleton key={index} className="h-36 rounded-lg" />
      ))}
    </div>
  );
}
