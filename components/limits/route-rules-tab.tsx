import { useState } from 'react';
import { RouteRulesEditor, routeRulesKey } from '@/components/limits/route-rules-editor';
import { RouteTester } from '@/components/limits/route-tester';
import { ListError } from '@/components/list/list-error';
import { Skeleton } from '@/components/ui/skeleton';
import { useCall } from '@/components/use-call';
import { getRouteRules, type RouteRules } from '@/lib/contract/route-rules';

/** The route rules with a tester for the rules as they are edited. */
export default function RouteRulesTab() {
  const [draft, setDraft] = useState<RouteRules | null>(null);
  const { data, error, refetch } = useCall(routeRulesKey, getRouteRules, {}, { staleTime: 30_000 });
  if (!data) {
    if (error) return <ListError error={error} onRetry={() => void refetch()} />;
    return <Skeleton className="h-64 rounded-lg" />;
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <RouteRulesEditor saved={data.value} etag={data.etag} onDraft={setDraft} />
      <RouteTester rules={draft ?? data.value} />
    </div>
  );
}
