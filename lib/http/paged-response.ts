import type { z } from 'zod';
import { decodeBase64url } from '@/lib/http/base64';
import { invalidField } from '@/lib/http/input';
import { streamOf } from '@/lib/http/stream';
import { visibleJson } from '@/lib/http/visible-json';

/** What a cell may hold. */
export type CsvValue = string | number | boolean | null | undefined;

/** Reads one page after another; undefined after the last. A page may be empty. */
export type Pages<T> = () => Promise<readonly T[] | undefined>;

/** A column of a download: its name and its cell. */
export type Column<T> = readonly [name: string, cell: (item: T) => CsvValue];

/** A JSON array of any length; see `pagedResponse`. */
export function jsonArrayResponse(pages: Pages<unknown>, onFault: (fault: unknown) => void): Promise<Response> {
  const page = (items: readonly unknown[]) => visibleJson(items).slice(1, -1);
  const form = { opening: '[', page, between: ',', closing: ']' };
  return pagedResponse(pages, form, onFault, { 'Content-Type': 'application/json; charset=utf-8' });
}

/**
 * A list of any length as a download; see `pagedResponse`.
 * @param name file name without extension
 */
export function downloadResponse<T>(
  format: 'csv' | 'jsonl',
  name: string,
  columns: readonly Column<T>[],
  pages: Pages<T>,
  onFault: (fault: unknown) => void,
): Promise<Response> {
  const line = (item: T) =>
    format === 'csv' ? csvLine(columns.map(([, cell]) => cell(item))) : `${visibleJson(item)}\n`;
  const opening = format === 'csv' ? csvLine(columns.map(([column]) => column)) : '';
  const form = { opening, page: (items: readonly T[]) => items.map(line).join(''), between: '', closing: '' };
  return pagedResponse(pages, form, onFault, {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/jsonl; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  });
}

/**
 * A list of any length, written page by page as the caller takes it: memory holds the text of one page, however long
 * the list and however slow its reader. The first page is read before the answer begins, so a fault there is an error
 * answer. A later fault breaks the connection, so that a part cannot be taken for the whole.
 *
 * No transaction is held open meanwhile. Pages are read by position: an unchanged row comes exactly once; one that is
 * added, removed or moved meanwhile may be in the answer or not (`docs/decisions/0009-long-lists-are-read-page-by-page.md`).
 * @param form how pages become one text
 * @param onFault called with what broke the answer off after it began
 */
async function pagedResponse<T>(
  pages: Pages<T>,
  form: { opening: string; page(items: readonly T[]): string; between: string; closing: string },
  onFault: (fault: unknown) => void,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoder = new TextEncoder();
  let before = form.opening;
  let ended = false;
  // Apart from the generator, which would hold the page from which the text was made while it waits for its reader.
  const read = async (): Promise<Uint8Array<ArrayBuffer>> => {
    let page = await pages();
    while (page?.length === 0) page = await pages();
    const text = page === undefined ? (before === form.between ? '' : before) + form.closing : before + form.page(page);
    before = form.between;
    ended = page === undefined;
    return encoder.encode(text);
  };
  let text = await read();
  async function* texts() {
    try {
      if (text.byteLength > 0) yield text;
      while (!ended) {
        text = await read();
        if (text.byteLength > 0) yield text;
      }
    } catch (fault) {
      onFault(fault);
      // Under this name Next breaks the connection and logs nothing of its own.
      throw new DOMException('The answer was broken off.', 'AbortError');
    }
  }
  return new Response(streamOf(texts()), {
    headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers },
  });
}

/** Characters that make a spreadsheet read a cell as a formula (OWASP ASVS 5, 1.2.10), with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n\0＝＋－＠]/u;
const QUOTED = /[",\r\n]/;

/** One cell by RFC 4180. Text (no number) that a spreadsheet would run as a formula gets an apostrophe before it. */
function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** A position in a list as an opaque word for the `cursor` parameter. `position` is plain JSON. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/**
 * Reads the position behind a cursor.
 * @throws ApiError invalid_request if the schema refuses it, or if it is not spelled as `encodeCursor` spells it
 */
export function decodeCursor<T>(schema: z.ZodType<T>, cursor: string): T {
  try {
    const position: unknown = JSON.parse(decodeBase64url(cursor)?.toString('utf8') ?? '');
    if (encodeCursor(position) === cursor) return schema.parse(position);
  } catch {
    // It is answered below.
  }
  throw invalidField('cursor', 'is not a cursor of this list');
}

/**
 * `Link` (RFC 8288) to the next page: the same query with another cursor. The target is relative, so that it holds
 * behind every proxy and repeats no `Host`.
 * @param target path and query of this page
 */
export function nextLink(target: string, cursor: string): string {
  const { pathname, searchParams } = new URL(target, 'http://origin.invalid');
  searchParams.set('cursor', cursor);
  return `<${pathname}?${searchParams}>; rel="next"`;
}
