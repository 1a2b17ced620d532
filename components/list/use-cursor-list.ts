'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { z } from 'zod';
import { callApi, withQuery } from '@/components/api-client';

export interface CursorList<Row> {
  /** Undefined while the first of them load. */
  rows: Row[] | undefined;
  error: unknown;
  refetch: () => void;
  hasMore: boolean;
  loadMore: () => void;
  isLoadingMore: boolean;
}

/** A list that the server filters and pages, newest first. */
export function useCursorList<Row>({
  key,
  path,
  query,
  schema,
  refetchInterval,
  enabled = true,
  keepPrevious = false,
}: {
  key: readonly string[];
  path: string;
  query: Record<string, string | undefined>;
  schema: z.ZodType<Row[]>;
  refetchInterval?: number;
  /** False while it is not known yet what to ask for. */
  enabled?: boolean;
  /** Shows the rows of the question before until those of the new one are there. */
  keepPrevious?: boolean;
}): CursorList<Row> {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...key, query],
    initialPageParam: withQuery(path, { limit: 50, ...query }),
    queryFn: async ({ pageParam, signal }) => callApi(pageParam, { schema, signal }),
    getNextPageParam: (last) => last.next,
    refetchInterval,
    enabled,
    placeholderData: keepPrevious ? keepPreviousData : undefined,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.value), [data]);
  return {
    rows,
    error,
    refetch: () => void refetch(),
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage(),
    isLoadingMore: isFetchingNextPage,
  };
}
