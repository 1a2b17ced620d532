'use client';

import { Search } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { IndexedOperation } from '@/components/docs/openapi-model';
import { PathText } from '@/components/docs/path-text';
import { searchOperations } from '@/components/docs/search-operations';
import { MethodBadge } from '@/components/docs/typography';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';
import { Link } from '@/components/ui/link';

/** Searches operations by path, summary and field names. `/` focuses it, arrow keys choose a result, Enter opens it. */
export function DocsSearch({ index }: { index: readonly IndexedOperation[] }) {
  const id = useId();
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [open, setOpen] = useState(false);
  const found = searchOperations(index, text);
  const shown = open && text.trim() !== '';
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const close = () => {
    setOpen(false);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return close();
    if (event.key === 'Enter') {
      const chosen = found[active];
      if (!chosen) return;
      event.preventDefault();
      close();
      router.push(chosen.href);
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setActive((active + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % Math.max(1, found.length));
  };
  return (
    <search className="relative min-w-0 flex-1 sm:max-w-96">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted-foreground" />
      <Input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search operations and fields"
        aria-expanded={shown}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        aria-activedescendant={shown && found.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Search the API"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
        className="pl-8 [&::-webkit-search-cancel-button]:hidden"
      />
      <div
        className={cn(
          'absolute top-10 right-0 left-0 z-40 max-h-[70vh] overflow-y-auto rounded-lg border bg-popover p-1 shadow-(--shadow-pop) max-sm:fixed max-sm:inset-x-4 max-sm:top-14',
          !shown && 'hidden',
        )}
      >
        <div id={`${id}-found`} role="listbox" aria-label="Operations" className="empty:hidden">
          {found.map((operation, position) => (
            <Link
              key={operation.href}
              id={`${id}-${position}`}
              role="option"
              aria-selected={position === active}
              tabIndex={-1}
              href={operation.href}
              // Keeps the focus in the field, because losing it would close the list before the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={close}
              className={cn(
                'flex flex-col gap-0.5 rounded-md px-2.5 py-1.5 text-sm',
                position === active && 'bg-accent',
              )}
            >
              <span className="font-medium">{operation.summary}</span>
              <span className="flex items-start gap-2">
                <MethodBadge method={operation.method} />
                <PathText path={operation.path} />
              </span>
            </Link>
          ))}
        </div>
        <p role="status" className="px-2.5 py-2 text-sm text-muted-foreground empty:hidden">
          {shown && found.length === 0 ? 'No matches.' : ''}
        </p>
      </div>
    </search>
  );
}
