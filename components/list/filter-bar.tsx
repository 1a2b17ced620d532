'use client';

import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { FacetFilter } from '@/components/filter-bar/facet-filter';
import type { FacetOption } from '@/components/filter-bar/facet-options';
import { SearchBox } from '@/components/filter-bar/search-box';
import type { ListState } from '@/components/list/list-state';
import { Button } from '@/components/ui/button';

/** Search, facets, a way back to everything, and on the right what else belongs to the list. */
export function FilterBar<Facet extends string>({
  state,
  searchLabel,
  facets,
  children,
}: {
  state: ListState<Facet>;
  /** What can be searched: "Search identifier or reason". Without it there is no search. */
  searchLabel?: string;
  facets: readonly { name: Facet; label: string; options: readonly FacetOption[]; single?: boolean }[];
  children?: ReactNode;
}) {
  return (
    <search className="flex flex-wrap items-center gap-2">
      {searchLabel ? <SearchBox label={searchLabel} value={state.search} onChange={state.setSearch} /> : null}
      {facets.map((facet) => (
        <FacetFilter
          key={facet.name}
          label={facet.label}
          options={facet.options}
          chosen={state.facets[facet.name]}
          single={facet.single}
          onChange={(values) => state.setFacet(facet.name, values)}
        />
      ))}
      {state.filtered ? (
        <Button variant="ghost" onClick={state.clear}>
          <X aria-hidden /> Clear
        </Button>
      ) : null}
      {children ? <div className="ml-auto flex items-center gap-2">{children}</div> : null}
    </search>
  );
}
