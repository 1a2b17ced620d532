'use client';

import { useQuery } from '@tanstack/react-query';
import { callApi } from '@/components/api-client';
import { PoliciesSchema } from '@/lib/contract/policies';

export const policiesKey = ['policies'] as const;

/** The limits that the engine decides by, and the ETag by which they can be changed. */
export function usePolicies() {
  return useQuery({
    queryKey: policiesKey,
    queryFn: async ({ signal }) => {
      const { value, etag } = await callApi('/v1/admin/policies', { schema: PoliciesSchema, signal });
      return { policies: value, etag };
    },
    staleTime: 30_000,
  });
}
