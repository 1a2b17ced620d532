import { type CsvValue, csvLine } from '@/lib/http/csv';
import { type Pages, pagedResponse } from '@/lib/http/paged-response';
import type { Context } from '@/lib/operation/operation';

export type ListFormat = 'json' | 'csv' | 'jsonl' | 'event-stream';

const MEDIA_TYPES: readonly (readonly [string, ListFormat])[] = [
  ['text/event-stream', 'event-stream'],
  ['text/csv', 'csv'],
  ['application/jsonl', 'jsonl'],
  ['application/x-ndjson', 'jsonl'],
];

/** The form that the caller wants a list in: `?format=`, else the first known type that `Accept` names, else JSON. */
export function listFormat(request: Request, format: Exclude<ListFormat, 'event-stream'> | undefined): ListFormat {
  if (format !== undefined) return format;
  const accepted = (request.headers.get('accept') ?? '').toLowerCase().split(',');
  for (const part of accepted) {
    const type = part.split(';')[0]?.trim();
    if (type === 'application/json') return 'json';
    const known = MEDIA_TYPES.find(([name]) => name === type);
    if (known !== undefined) return known[1];
  }
  return 'json';
}

/** A column of an export: its name and its cell. */
export type Column<T> = readonly [name: string, cell: (item: T) => CsvValue];

/**
 * A list of any length as a download; see `pagedResponse`.
 * @param name file name without extension
 */
export function exportResponse<T>(
  context: Context,
  format: 'csv' | 'jsonl',
  name: string,
  columns: readonly Column<T>[],
  pages: Pages<T>,
): Promise<Response> {
  const line = (item: T) =>
    format === 'csv' ? csvLine(columns.map(([, cell]) => cell(item))) : `${JSON.stringify(item)}\n`;
  const form = {
    opening: format === 'csv' ? csvLine(columns.map(([column]) => column)) : '',
    page: (items: readonly T[]) => items.map(line).join(''),
    between: '',
    closing: '',
  };
  return pagedResponse(context, pages, form, {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/jsonl; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  });
}
