import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { type ComponentType, type ReactNode, useMemo } from 'react';
import type { z } from 'zod';
import { call, withQuery } from '@/components/api/call';
import type { TableColumn } from '@/components/list/data-table';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { Contract } from '@/lib/contract/operation';

type QueryValues = Readonly<Record<string, string | undefined>>;

type ListContract<Row> = Contract & {
  readonly params?: undefined;
  readonly query: z.ZodType<unknown, QueryValues>;
  readonly body?: undefined;
  readonly response: { readonly schema: z.ZodType<Row[]> };
};

/** A filter of which at most one value is chosen. Its name is usually that of the API's query parameter. */
export interface Facet {
  name: string;
  label: string;
  /** To choose from. A facet without any is filled by a click on a value of the list, and shown only while it is. */
  options?: readonly { value: string; label: string }[];
  /** Whether the address may hold values beside the options, as where these are loaded. */
  open?: boolean;
  /** How a chosen value is shown that is none of the options. */
  show?: (value: string) => ReactNode;
  /** How the API asks for the chosen value, where not by this name. */
  query?: (value: string) => QueryValues;
}

export interface EmptyText {
  icon?: LucideIcon;
  title: string;
  text?: ReactNode;
}

/** A list of the API as one screen shows it: a constant beside each page. */
export interface ResourceDeclaration<Row> {
  /** With a title the list is a page of its own. */
  title?: string;
  description?: string;
  /** The role that changes need. */
  needs?: MemberRole;
  add?: { label: string } & ({ Dialog: ComponentType<{ onClose: () => void }> } | { href: string });
  columns: readonly TableColumn<Row>[];
  rowId: (row: Row) => string | number;
  /** In the last column: a `RowMenu`, or buttons. */
  RowActions?: ComponentType<{ row: Row }>;
  /** Of a list whose rows can be selected: its `useSelection`, which other lists do not load. */
  useSelection?: (list: { label: string; rows: readonly Row[] }) => {
    columns: TableColumn<Row>[];
    bar: ReactNode;
  };
  /** Opens the details of a row, for a click anywhere on it. `RowActions` holds the same for the keyboard. */
  useOpen?: () => (row: Row) => void;
  /** Title where no row passes the filters: "No key matches". */
  noMatch: string;
  empty?: EmptyText;
  exported?: boolean;
  /** First part of the query key; what changes the resource invalidates it. */
  key: string;
  contract: ListContract<Row>;
  /** Names the table and the tabs to assistive technology. */
  label: string;
  search?: { label: string; query?: (text: string) => QueryValues };
  facets?: readonly Facet[];
  sortings?: readonly string[];
  /** Default order: `name` or `-created_at`. */
  sort?: string;
  /** Parts of the list; the first is the default. */
  tabs?: readonly { value: string; label: string; query: QueryValues; empty: EmptyText }[];
  /** Milliseconds; not while the browser tab is hidden. */
  refetchInterval?: number;
}

/** The state of a list in the URL, so that a link shows the same view. */
function parsersOf<Row>({ facets = [], sortings = [], tabs = [] }: ResourceDeclaration<Row>) {
  const literal = (values: readonly string[]) => parseAsStringLiteral(values);
  return {
    q: parseAsString,
    sort: literal(sortings.flatMap((name) => [name, `-${name}`])),
    ...(tabs.length > 0 ? { tab: literal(tabs.map(({ value }) => value)) } : {}),
    ...Object.fromEntries(
      facets.map(({ name, options, open }) => [
        name,
        options && !open ? literal(options.map(({ value }) => value)) : parseAsString,
      ]),
    ),
  };
}

/** A list that the API filters, sorts and pages as the URL says. `query` adds parameters, such as a range of time. */
export function useResourceList<Row>(
  declaration: ResourceDeclaration<Row>,
  { query = {}, enabled = true }: { query?: QueryValues; enabled?: boolean } = {},
) {
  const { key, contract, search, facets = [], tabs = [] } = declaration;
  const parsers = useMemo(() => parsersOf(declaration), [declaration]);
  const [address, setAddress] = useQueryStates(parsers, { history: 'replace' });
  const value = (name: string): string | undefined => address[name as keyof typeof address] ?? undefined;
  const text = search ? (value('q') ?? '') : '';
  const sort = value('sort') ?? declaration.sort;
  const tab = tabs.find((each) => each.value === value('tab')) ?? tabs[0];
  const words = text.trim().slice(0, 256);
  const chosen = Object.fromEntries(facets.map(({ name }) => [name, value(name)]));
  const narrowed = facets.map(({ name, query: ask }): QueryValues => {
    const choice = value(name);
    // A facet that is not chosen must not take away what another one asks by the same parameter.
    if (choice === undefined) return {};
    return ask ? ask(choice) : { [name]: choice };
  });
  /** Query parameters of the filters, without tab and order. */
  const filters: QueryValues = { ...Object.assign({}, ...narrowed), ...(search?.query?.(words) ?? { q: words }) };
  const asked: QueryValues = { ...tab?.query, ...filters, ...query };
  const pages = useInfiniteQuery({
    queryKey: [key, 'list', tab?.value, asked, sort],
    queryFn: ({ pageParam, signal }) =>
      call(contract, { query: { limit: '50', ...asked, sort, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next,
    ...(declaration.refetchInterval === undefined ? {} : { refetchInterval: declaration.refetchInterval }),
    enabled,
    // Rows of another tab would look like rows of this one.
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
    hasMore: hasNextPage,
    loadMore: () => void fetchNextPage(),
    isLoadingMore: isFetchingNextPage,
    isStale: isPlaceholderData,
    age: { isRefetchError, fetchStatus, dataUpdatedAt },
    tab: tab?.value,
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
    download: (format: 'csv' | 'jsonl') => withQuery(contract.path, { ...asked, format }),
  };
}

export type ResourceListState<Row> = ReturnType<typeof useResourceList<Row>>;
