import { Check, Download, ListFilter, Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { Facet, ResourceListState } from '@/components/list/use-resource-list';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { DropdownMenuItem, DropdownMenuLabel, Menu } from '@/components/ui/dropdown-menu';
import { Input } from '@/components/ui/input';

/** Search, filters and a clear button. `children` are aligned to the right. */
export function FilterBar<Row>({ list, children }: { list: ResourceListState<Row>; children?: ReactNode }) {
  const { search, facets = [] } = list.declaration;
  return (
    <search className="flex flex-wrap items-center gap-2">
      {search ? <SearchBox label={search.label} value={list.text} onChange={list.setText} /> : null}
      {facets.map((facet) => (
        <FacetMenu
          key={facet.name}
          facet={facet}
          chosen={list.facets[facet.name]}
          onChoose={(value) => list.setFacet(facet.name, value)}
        />
      ))}
      {list.isFiltered ? (
        <Button variant="ghost" onClick={list.clear}>
          <X aria-hidden /> Clear
        </Button>
      ) : null}
      {children ? <div className="ml-auto flex items-center gap-2">{children}</div> : null}
    </search>
  );
}

/** Shows the value of a filter on a button that clears it. */
function ChosenValue({ facet, chosen, onClear }: { facet: Facet; chosen: string; onClear: () => void }) {
  const { label, show } = facet;
  return (
    <span className="inline-flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-md border border-primary/50 bg-primary-soft pl-2.5 text-sm">
      <span className="shrink-0 text-muted-foreground">{label}</span>
      <span className="max-w-64 min-w-0 truncate font-medium" title={chosen}>
        {show?.(chosen) ?? chosen}
      </span>
      <Button variant="ghost" size="icon-sm" aria-label={`Remove the filter ${label}`} onClick={onClear}>
        <X aria-hidden />
      </Button>
    </span>
  );
}

function FacetMenu({ facet, chosen, onChoose }: { facet: Facet; chosen?: string; onChoose: (value?: string) => void }) {
  const { label, options, show } = facet;
  if (!options) return chosen ? <ChosenValue facet={facet} chosen={chosen} onClear={() => onChoose()} /> : null;
  const name = chosen && (options.find(({ value }) => value === chosen)?.label ?? show?.(chosen) ?? chosen);
  const trigger = (
    <Button variant="outline" className={cn('font-normal', chosen && 'border-primary/50 bg-primary-soft')}>
      <ListFilter aria-hidden className="text-muted-foreground" />
      {label}
      {name ? <span className="max-w-48 truncate font-medium">{name}</span> : null}
    </Button>
  );
  return (
    <Menu trigger={trigger} align="start">
      {[{ value: undefined, label: 'All' }, ...options].map((option) => (
        <DropdownMenuItem
          key={option.value ?? ''}
          role="menuitemradio"
          aria-checked={option.value === chosen}
          onSelect={() => onChoose(option.value)}
        >
          <Check aria-hidden className={cn(option.value !== chosen && 'invisible')} /> {option.label}
        </DropdownMenuItem>
      ))}
    </Menu>
  );
}

export function ExportMenu({ href }: { href: (format: 'csv' | 'jsonl') => string }) {
  const trigger = (
    <Button variant="outline" aria-label="Export">
      <Download aria-hidden />
      <span className="max-sm:hidden">Export</span>
    </Button>
  );
  return (
    <Menu trigger={trigger} align="end">
      <DropdownMenuLabel>Everything that matches</DropdownMenuLabel>
      {(['csv', 'jsonl'] as const).map((format) => (
        <DropdownMenuItem key={format} asChild>
          <a href={href(format)} download>
            {format === 'csv' ? 'CSV' : 'JSON Lines'}
          </a>
        </DropdownMenuItem>
      ))}
    </Menu>
  );
}

/** Search field that reports its text once typing pauses. */
function SearchBox({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const [reported, setReported] = useState(value);
  if (value !== reported) {
    setReported(value);
    setText(value);
  }
  useEffect(() => {
    if (text === reported) return;
    const timer = setTimeout(() => {
      setReported(text);
      onChange(text);
    }, 200);
    return () => clearTimeout(timer);
  }, [text, reported, onChange]);
  return (
    <div className="relative w-64 max-sm:w-full">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted-foreground" />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="pl-8 [&::-webkit-search-cancel-button]:hidden"
      />
    </div>
  );
}
