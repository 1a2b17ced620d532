'use client';

import { parseAsArrayOf, parseAsIndex, parseAsInteger, parseAsString, useQueryStates } from 'nuqs';
import { useMemo } from 'react';

/** What of a list stands in the address: a constant beside each list. */
export interface ListDefinition<Facet extends string> {
  /** Column and direction: `name` or `-created_at`. */
  sort: string;
  facets: readonly Facet[];
}

export interface ListState<Facet extends string> {
  search: string;
  sort: { id: string; desc: boolean };
  /** From 0. */
  page: number;
  size: number;
  facets: Record<Facet, readonly string[]>;
  /** Whether anything is filtered at all. */
  filtered: boolean;
  setSearch: (search: string) => void;
  setSort: (id: string, desc: boolean) => void;
  setPage: (page: number) => void;
  setSize: (size: number) => void;
  setFacet: (facet: Facet, values: readonly string[]) => void;
  clear: () => void;
}

export const PAGE_SIZES = [25, 50, 100] as const;

/** Filters, order and page of a list, kept in the address so that a link shows the same view. */
export function useListState<Facet extends string>(definition: ListDefinition<Facet>): ListState<Facet> {
  const parsers = useMemo(() => {
    const base = {
      q: parseAsString.withDefault(''),
      sort: parseAsString.withDefault(definition.sort),
      page: parseAsIndex.withDefault(0),
      size: parseAsInteger.withDefault(PAGE_SIZES[0]),
    };
    const facets = definition.facets.map((name) => [name, parseAsArrayOf(parseAsString).withDefault([])] as const);
    return { base, facets: Object.fromEntries(facets) };
  }, [definition]);
  const [base, setBase] = useQueryStates(parsers.base, { history: 'replace' });
  const [chosen, setChosen] = useQueryStates(parsers.facets, { history: 'replace' });
  const facets = {} as Record<Facet, readonly string[]>;
  for (const name of definition.facets) facets[name] = chosen[name] ?? [];
  const desc = base.sort.startsWith('-');
  return {
    search: base.q,
    sort: { id: desc ? base.sort.slice(1) : base.sort, desc },
    page: base.page,
    size: (PAGE_SIZES as readonly number[]).includes(base.size) ? base.size : PAGE_SIZES[0],
    facets,
    filtered: base.q !== '' || definition.facets.some((name) => facets[name].length > 0),
    setSearch: (q) => void setBase({ q, page: 0 }),
    setSort: (id, descending) => void setBase({ sort: descending ? `-${id}` : id, page: 0 }),
    setPage: (page) => void setBase({ page }, { history: 'push' }),
    setSize: (size) => void setBase({ size, page: 0 }),
    setFacet: (facet, values) => {
      void setChosen({ [facet]: values.length > 0 ? [...values] : null });
      void setBase({ page: 0 });
    },
    clear: () => {
      void setBase({ q: null, page: null });
      void setChosen(null);
    },
  };
}
