'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { callApi, withQuery } from '@/components/api-client';

/** Rows that a browser sorts and filters without effort; beyond it the server searches. */
const CAP = 5_000;
const PAGE = 1_000;

export interface Listed<Row> {
  rows: Row[];
  /** False when there are more than the browser holds. */
  complete: boolean;
}

/** Every row of a paged list, up to a cap. @throws ApiError */
async function readListed<Row>(
  path: string,
  schema: z.ZodType<Row[]>,
  query: Record<string, string | undefined>,
  signal: AbortSignal,
): Promise<Listed<Row>> {
  let next: string | null = withQuery(path, { ...query, limit: PAGE });
  const rows: Row[] = [];
  while (next !== null && rows.length < CAP) {
    const answer: Awaited<ReturnType<typeof callApi<Row[]>>> = await callApi(next, { schema, signal });
    rows.push(...answer.value);
    next = answer.next;
  }
  return { rows, complete: next === null };
}

/**
 * A list from the API. While it fits into the browser it is filtered there; when it does not, `search` goes to the
 * server.
 */
export function useListed<Row>({
  key,
  path,
  schema,
  query = {},
  search,
  refetchInterval,
}: {
  key: readonly string[];
  path: string;
  schema: z.ZodType<Row[]>;
  query?: Record<string, string | undefined>;
  search: string;
  /** Milliseconds; the list stands still in a hidden tab. */
  refetchInterval?: number;
}) {
  const whole = useQuery({
    queryKey: [...key, query],
    queryFn: ({ signal }) => readListed(path, schema, query, signal),
    refetchInterval,
  });
  const asked = search.trim().slice(0, 256);
  const narrow = useQuery({
    queryKey: [...key, query, asked],
    queryFn: ({ signal }) => readListed(path, schema, { ...query, q: asked }, signal),
    enabled: whole.data?.complete === false && asked !== '',
    placeholderData: keepPreviousData,
  });
  const listed = whole.data?.complete === false && asked !== '' ? (narrow.data ?? whole.data) : whole.data;
  return { listed, error: whole.error ?? narrow.error, refetch: () => void whole.refetch() };
}
