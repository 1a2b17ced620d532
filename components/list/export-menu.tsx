'use client';

import { Download } from 'lucide-react';
import { type ExportColumn, toCsv, toJsonLines } from '@/components/list/export-text';
import type { Served } from '@/components/list/use-resource-list';
import { Button } from '@/components/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu';

function save(text: string, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function Trigger({ disabled }: { disabled?: boolean }) {
  return (
    <DropdownMenuTrigger asChild>
      <Button variant="outline" disabled={disabled} aria-label="Export">
        <Download aria-hidden />
        <span className="max-sm:hidden">Export</span>
      </Button>
    </DropdownMenuTrigger>
  );
}

/** The export of a list: from the browser while all rows are there, else from the server. */
export function ListExport<Row>({
  served,
  ...menu
}: {
  name: string;
  rows: readonly Row[];
  columns: readonly ExportColumn<Row>[];
  served: Served | null;
}) {
  return served ? <DownloadMenu href={served.download} /> : <ExportMenu {...menu} />;
}

/** Saves the rows that are listed, with the filters that are set, as CSV or JSON Lines. */
function ExportMenu<Row>({
  name,
  rows,
  columns,
}: {
  /** Start of the file's name. */
  name: string;
  rows: readonly Row[];
  columns: readonly ExportColumn<Row>[];
}) {
  const stamp = () => `${name}-${new Date().toISOString().slice(0, 10)}`;
  return (
    <DropdownMenu>
      <Trigger disabled={rows.length === 0} />
      <DropdownMenuContent align="end">
        <DropdownMenuLabel>{rows.length.toLocaleString('en-US')} listed</DropdownMenuLabel>
        <DropdownMenuItem onSelect={() => save(toCsv(rows, columns), `${stamp()}.csv`, 'text/csv')}>
          CSV
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={() => save(toJsonLines(rows), `${stamp()}.jsonl`, 'application/jsonl')}>
          JSON Lines
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

/** Downloads everything that matches the filters from the API, however much it is. */
export function DownloadMenu({ href }: { href: (format: 'csv' | 'jsonl') => string }) {
  return (
    <DropdownMenu>
      <Trigger />
      <DropdownMenuContent align="end">
        <DropdownMenuLabel>Everything that matches</DropdownMenuLabel>
        <DropdownMenuItem asChild>
          <a href={href('csv')} download>
            CSV
          </a>
        </DropdownMenuItem>
        <DropdownMenuItem asChild>
          <a href={href('jsonl')} download>
            JSON Lines
          </a>
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
