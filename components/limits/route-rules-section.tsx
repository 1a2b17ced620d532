'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '@/components/api-client';
import { RouteRulesEditor } from '@/components/limits/route-rules-editor';
import { RouteTester } from '@/components/limits/route-tester';
import { routeRulesKey } from '@/components/limits/rules-values';
import { ListError } from '@/components/list/list-error';
import { Skeleton } from '@/components/ui/skeleton';
import { type RouteRules, StoredRouteRulesSchema } from '@/lib/contract/route-rules';

/** The route rules with the tester, which judges the rules as they are edited. */
export function RouteRulesSection() {
  const [draft, setDraft] = useState<RouteRules | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: routeRulesKey,
    queryFn: async ({ signal }) => {
      const { value, etag } = await callApi('/v1/admin/route-rules', { schema: StoredRouteRulesSchema, signal });
      return { rules: value, etag };
    },
    staleTime: 30_000,
  });
  if (!data) {
    return error ? (
      <ListError error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton className="h-64 rounded-lg" />
    );
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <RouteRulesEditor saved={data.rules} etag={data.etag} onDraft={setDraft} />
      <RouteTester rules={draft ?? data.rules} />
    </div>
  );
}
