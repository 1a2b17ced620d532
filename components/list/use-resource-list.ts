import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from 'nuqs';
import { type ComponentType, type ReactNode, useMemo, useState } from 'react';
import type { z } from 'zod';
import { addQuery, call } from '@/components/api/call';
import type { TableColumn } from '@/components/list/data-table';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { Contract } from '@/lib/contract/operation';

/** Rows of the first page, and of each further one. */
const FIRST = 100;
const FURTHER = 500;
/** Most rows of one page. */
const MOST = 1_000;

type QueryValues = Readonly<Record<string, string | undefined>>;

/** Operation that lists the rows of a resource. */
export type ListContract<Row> = Contract & {
  readonly params?: undefined;
  readonly query: z.ZodType<unknown, QueryValues>;
  readonly body?: undefined;
  readonly response: { readonly schema: z.ZodType<Row[]> };
};

/** Filter with at most one chosen value. Its name is usually the API's query parameter. */
export interface Facet {
  name: string;
  label: string;
  /**
   * Values to choose from. Without options, the filter is set by clicking a value of the list, and is shown only while
   * set.
   */
  options?: readonly { value: string; label: string }[];
  /** True if the URL may hold values outside the options, for example while these load. */
  open?: boolean;
  /** Renders a chosen value that is not among the options. */
  show?: (value: string) => ReactNode;
  /** Builds the API's query parameters, if they differ from the filter's name. */
  query?: (value: string) => QueryValues;
}

export interface EmptyText {
  icon?: LucideIcon;
  title: string;
  text?: ReactNode;
}

/** Describes a list of the API for one screen. Each is a constant in the file of its page. */
export interface ResourceDeclaration<Row> {
  /** Title of a list that is a page. Lists inside a page have none. */
  title?: string;
  description?: string;
  /** Role that changes need. */
  needs?: MemberRole;
  add?: { label: string } & ({ Dialog: ComponentType<{ onClose: () => void }> } | { href: string });
  columns: readonly TableColumn<Row>[];
  rowId: (row: Row) => string | number;
  /** Content of the last column: a `RowMenu`, or buttons. */
  RowActions?: ComponentType<{ row: Row }>;
  /** Selection hook of a list whose rows can be selected. Other lists do not load its code. */
  useSelection?: (list: { label: string; rows: readonly Row[] }) => {
    columns: TableColumn<Row>[];
    bar: ReactNode;
  };
  /** Opens the details of a row when it is clicked. `RowActions` offers the same to keyboard users. */
  useOpen?: () => (row: Row) => void;
  /** Title if no row passes the filters: "No key matches". */
  noMatch: string;
  empty?: EmptyText;
  exported?: boolean;
  /** First part of the query key. Changes to the resource invalidate it. */
  key: string;
  contract: ListContract<Row>;
  /** Accessible name of the table and tabs. */
  label: string;
  search?: { label: string; query?: (text: string) => QueryValues };
  facets?: readonly Facet[];
  sortings?: readonly string[];
  /** Default sort order: `name` or `-created_at`. */
  sort?: string;
  /** Tabs of the list. The first is the default. */
  tabs?: readonly {
    value: string;
    label: string;
    /** May include `sort`. */
    query: QueryValues;
    empty: EmptyText;
    /** Shows the rows in place of the table. `isPartial` is true if filters or further pages hide others. */
    Rows?: ComponentType<{ rows: readonly Row[] | undefined; isPartial: boolean }>;
  }[];
  /** Noun for the rows in the footer. Default: "total". */
  noun?: string;
  /** Refresh interval in milliseconds. It pauses while the browser tab is hidden. */
  refetchInterval?: number;
}

/** Parsers for the list's state in the URL, so that a link shows the same view. */
function createParsers<Row>({ facets = [], sortings = [], tabs = [] }: ResourceDeclaration<Row>) {
  const createLiteralParser = (values: readonly string[]) => parseAsStringLiteral(values);
  return {
    q: parseAsString,
    sort: createLiteralParser(sortings.flatMap((name) => [name, `-${name}`])),
    ...(tabs.length > 0 ? { tab: createLiteralParser(tabs.map(({ value }) => value)) } : {}),
    ...Object.fromEntries(
      facets.map(({ name, options, open }) => [
        name,
        options && !open ? createLiteralParser(options.map(({ value }) => value)) : parseAsString,
      ]),
    ),
  };
}

/**
 * Reads a list that the API filters, sorts and pages as the URL says. `query` adds parameters, such as a time range.
 */
export function useResourceList<Row>(
  declaration: ResourceDeclaration<Row>,
  { query = {}, enabled = true }: { query?: QueryValues; enabled?: boolean } = {},
) {
  const { key, contract, search, facets = [], tabs = [] } = declaration;
  const [loaded, setLoaded] = useQueryState('rows', parseAsInteger.withOptions({ history: 'replace' }));
  // A reload and a shared link show as many rows as were loaded.
  const [first] = useState(() => Math.min(MOST, Math.max(FIRST, loaded ?? 0)));
  const parsers = useMemo(() => createParsers(declaration), [declaration]);
  const [address, setAddress] = useQueryStates(parsers, { history: 'replace' });
  const readValue = (name: string): string | undefined => address[name as keyof typeof address] ?? undefined;
  const text = search ? (readValue('q') ?? '') : '';
  const tab = tabs.find((each) => each.value === readValue('tab')) ?? tabs[0];
  const sort = readValue('sort') ?? tab?.query.sort ?? declaration.sort;
  const words = text.trim().slice(0, 256);
  const chosen = Object.fromEntries(facets.map(({ name }) => [name, readValue(name)]));
  const narrowed = facets.map(({ name, query: ask }): QueryValues => {
    const choice = readValue(name);
    // Several filters may share a query parameter, so a filter that is not set must not clear it.
    if (choice === undefined) return {};
    return ask ? ask(choice) : { [name]: choice };
  });
  /** Query parameters of the filters, without tab and sort order. */
  const filters: QueryValues = { ...Object.assign({}, ...narrowed), ...(search?.query?.(words) ?? { q: words }) };
  const parameters: QueryValues = { ...tab?.query, ...filters, ...query };
  const pages = useInfiniteQuery({
    queryKey: [key, 'list', tab?.value, parameters, sort],
    queryFn: ({ pageParam, signal }) =>
      call(contract, {
        query: { limit: String(pageParam.limit), ...parameters, sort, cursor: pageParam.cursor },
        signal,
        wantsTotal: pageParam.cursor === undefined,
      }),
    // The cache keeps the length of each page, so that a list that is opened again and refreshed does not grow.
    initialPageParam: { limit: first } as { limit: number; cursor?: string },
    getNextPageParam: ({ next }) => (next == null ? undefined : { limit: FURTHER, cursor: next }),
    ...(declaration.refetchInterval === undefined ? {} : { refetchInterval: declaration.refetchInterval }),
    enabled,
    // Rows of the previous tab are not kept, because they would look like rows of this one.
    placeholderData: (previous, before) =>
      before?.queryKey[2] === tab?.value ? keepPreviousData(previous) : undefined,
  });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData } = pages;
  const { isRefetchError, fetchStatus, dataUpdatedAt } = pages;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.value), [data]);
  return {
    declaration,
    rows,
    error,
    retry: () => void refetch(),
    /** Rows on all pages. Null if the answer lacks it. */
    total: data?.pages[0]?.total ?? null,
    hasMore: hasNextPage,
    loadMore: () => {
      void setLoaded((rows?.length ?? 0) + FURTHER);
      void fetchNextPage();
    },
    isLoadingMore: isFetchingNextPage,
    isStale: isPlaceholderData,
    age: { isRefetchError, fetchStatus, dataUpdatedAt },
    tab: tab?.value,
    Rows: tab?.Rows,
    empty: tab?.empty ?? declaration.empty,
    text,
    sort,
    facets: chosen,
    filters,
    isFiltered: text !== '' || Object.values(chosen).some((each) => each !== undefined),
    setText: (q: string) => void setAddress({ q: q || null }),
    setSort: (next: string) => void setAddress({ sort: next === declaration.sort ? null : next }),
    setTab: (next: string) => void setAddress({ tab: next === tabs[0]?.value ? null : next }, { history: 'push' }),
    setFacet: (name: string, next: string | undefined) => void setAddress({ [name]: next ?? null }),
    clear: () => void setAddress({ q: null, ...Object.fromEntries(facets.map(({ name }) => [name, null])) }),
    download: (format: 'csv' | 'jsonl') => addQuery(contract.path, { ...parameters, format }),
  };
}

export type ResourceListState<Row> = ReturnType<typeof useResourceList<Row>>;
