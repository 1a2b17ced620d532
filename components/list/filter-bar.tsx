'use client';

import { Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ResourceListState } from '@/components/list/use-resource-list';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';

/** Search, facets, a way back to everything, and on the right what else belongs to the list. */
export function FilterBar<Row>({ list, children }: { list: ResourceListState<Row>; children?: ReactNode }) {
  const { search, facets = [] } = list.declaration;
  return (
    <search className="flex flex-wrap items-center gap-2">
      {search ? <SearchBox label={search.label} value={list.text} onChange={list.setText} /> : null}
      {facets.map(({ name, label, options }) => (
        <NativeSelect
          key={name}
          aria-label={label}
          className={cn('h-8 rounded-md', list.facets[name] && 'ring-1 ring-primary/60')}
          value={list.facets[name] ?? ''}
          onChange={(event) => list.setFacet(name, event.target.value || undefined)}
          options={[{ value: '', label: `${label}: all` }, ...options]}
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

const SETTLE_MS = 200;

/** A search that reports its text once the typing pauses. */
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
    }, SETTLE_MS);
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
