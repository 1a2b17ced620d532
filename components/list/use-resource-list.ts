'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { callApi, withQuery } from '@/components/api-client';
import type { ListState } from '@/components/list/list-state';
import { type CursorList, useCursorList } from '@/components/list/use-cursor-list';

/** Rows that a browser sorts and filters without effort; lists that the server can sort are left to it beyond that. */
const COMFORTABLE = 1_000;
/** Where the server cannot sort: as many rows as are fetched at all. */
const CAP = 5_000;
const PAGE = 1_000;

export interface Listed<Row> {
  rows: Row[];
  /** False when there are more than the browser holds. */
  complete: boolean;
}

/** What the server can do for a list that is too long for the browser. */
export interface ServerSide<Facet extends string> {
  state: Pick<ListState<Facet>, 'sort' | 'facets'>;
  /** Columns that it sorts by. */
  sorts: readonly string[];
  /** Chosen facets as the API takes them, one value each. */
  query: (facets: Record<Facet, readonly string[]>) => Record<string, string | undefined>;
}

/** A list in the hands of the server: how it goes on, what it sorts by, and where all of it can be downloaded. */
export type Served = Pick<CursorList<unknown>, 'hasMore' | 'loadMore' | 'isLoadingMore'> & {
  sorts: readonly string[];
  download: (format: 'csv' | 'jsonl') => string;
};

/** Every row of a paged list, up to a cap. @throws ApiError */
async function readListed<Row>(
  path: string,
  schema: z.ZodType<Row[]>,
  query: Record<string, string | undefined>,
  cap: number,
  signal: AbortSignal,
): Promise<Listed<Row>> {
  let next: string | null = withQuery(path, { ...query, limit: PAGE });
  const rows: Row[] = [];
  while (next !== null && rows.length < cap) {
    const answer: Awaited<ReturnType<typeof callApi<Row[]>>> = await callApi(next, { schema, signal });
    rows.push(...answer.value);
    next = answer.next;
  }
  return { rows, complete: next === null };
}

/**
 * A list from the API. While it fits into the browser it is filtered, sorted and paged there, at once. When it does not,
 * the server searches, and with `server` it also filters, sorts and pages.
 */
export function useListed<Row, Facet extends string = never>({
  key,
  path,
  schema,
  query = {},
  search,
  refetchInterval,
  server,
}: {
  key: readonly string[];
  path: string;
  schema: z.ZodType<Row[]>;
  query?: Record<string, string | undefined>;
  search: string;
  /** Milliseconds; the list stands still in a hidden tab. */
  refetchInterval?: number;
  server?: ServerSide<Facet>;
}) {
  const whole = useQuery({
    queryKey: [...key, query],
    queryFn: ({ signal }) => readListed(path, schema, query, server ? COMFORTABLE : CAP, signal),
    refetchInterval: (current) => (current.state.data?.complete === false ? false : refetchInterval),
  });
  const long = whole.data?.complete === false;
  const asked = search.trim().slice(0, 256);
  const narrow = useQuery({
    queryKey: [...key, query, asked],
    queryFn: ({ signal }) => readListed(path, schema, { ...query, q: asked }, CAP, signal),
    enabled: long && !server && asked !== '',
    placeholderData: keepPreviousData,
  });
  const served = { ...query, ...servedQuery(server), q: asked === '' ? undefined : asked };
  const list = useCursorList({
    key: [...key, 'served'],
    path,
    schema,
    query: served,
    enabled: long && server !== undefined,
    keepPrevious: true,
  });
  const error = whole.error ?? narrow.error ?? (long ? list.error : null);
  const refetch = () => void (long && server ? list.refetch() : whole.refetch());
  if (long && server) {
    const { rows, hasMore, loadMore, isLoadingMore } = list;
    const download = (format: 'csv' | 'jsonl') => withQuery(path, { ...served, format });
    return {
      listed: rows && { rows, complete: false },
      served: { hasMore, loadMore, isLoadingMore, sorts: server.sorts, download } satisfies Served,
      error,
      refetch,
    };
  }
  return { listed: long && asked !== '' ? (narrow.data ?? whole.data) : whole.data, served: null, error, refetch };
}

function servedQuery<Facet extends string>(server: ServerSide<Facet> | undefined): Record<string, string | undefined> {
  if (server === undefined) return {};
  const { sort, facets } = server.state;
  const order = server.sorts.includes(sort.id) ? `${sort.desc ? '-' : ''}${sort.id}` : undefined;
  return { ...server.query(facets), sort: order };
}
