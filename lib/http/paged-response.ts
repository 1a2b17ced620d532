import { ReadableStream } from 'node:stream/web';
import type { z } from 'zod';
import { decodeBase64url } from '@/lib/http/base64';
import { createInvalidField } from '@/lib/http/input';
import { formatVisibleJson } from '@/lib/http/visible-json';

/** Value of a cell. */
export type CsvValue = string | number | boolean | null | undefined;

/** Reads the next page. Returns undefined after the last one. A page may be empty. */
export type Pages<T> = () => Promise<readonly T[] | undefined>;

/** A column of a download: its name and its cell. */
export type Column<T> = readonly [name: string, cell: (item: T) => CsvValue];

/** Streams a JSON array of any length. See `streamPages`. */
export function streamJsonArray(pages: Pages<unknown>, onFault: (fault: unknown) => void): Promise<Response> {
  const page = (items: readonly unknown[]) => formatVisibleJson(items).slice(1, -1);
  const form = { opening: '[', page, between: ',', closing: ']' };
  return streamPages(pages, form, onFault, { 'Content-Type': 'application/json; charset=utf-8' });
}

/**
 * Streams a list of any length as a download. See `streamPages`.
 * @param name file name without extension
 */
export function streamDownload<T>(
  format: 'csv' | 'jsonl',
  name: string,
  columns: readonly Column<T>[],
  pages: Pages<T>,
  onFault: (fault: unknown) => void,
): Promise<Response> {
  const formatLine = (item: T) =>
    format === 'csv' ? formatCsvLine(columns.map(([, cell]) => cell(item))) : `${formatVisibleJson(item)}\n`;
  const opening = format === 'csv' ? formatCsvLine(columns.map(([column]) => column)) : '';
  const form = { opening, page: (items: readonly T[]) => items.map(formatLine).join(''), between: '', closing: '' };
  return streamPages(pages, form, onFault, {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/jsonl; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  });
}

/**
 * Streams a list of any length page by page, at the pace of its reader.
 * Memory holds the text of one page, even for a long list or a slow reader. The first page is read before the answer
 * starts, so an error there becomes an error answer. A later error breaks the connection, so that a part is not taken
 * for the whole.
 *
 * No transaction stays open while the list is sent. Pages are read by position: an unchanged row comes exactly once; a
 * row that is added, removed or moved concurrently may or may not appear
 * (`docs/decisions/0009-long-lists-are-read-page-by-page.md`).
 * @param form separators of the pages in the text
 * @param onFault receives the error that broke a started answer
 */
async function streamPages<T>(
  pages: Pages<T>,
  form: { opening: string; page(items: readonly T[]): string; between: string; closing: string },
  onFault: (fault: unknown) => void,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoder = new TextEncoder();
  let before = form.opening;
  let ended = false;
  // A separate function, because the generator would keep the page in memory while it waits for the reader.
  const read = async (): Promise<Uint8Array<ArrayBuffer>> => {
    let page = await pages();
    while (page?.length === 0) page = await pages();
    const text = page === undefined ? (before === form.between ? '' : before) + form.closing : before + form.page(page);
    before = form.between;
    ended = page === undefined;
    return encoder.encode(text);
  };
  let text = await read();
  async function* streamTexts() {
    try {
      if (text.byteLength > 0) yield text;
      while (!ended) {
        text = await read();
        if (text.byteLength > 0) yield text;
      }
    } catch (fault) {
      onFault(fault);
      // An error with this name makes Next break the connection without a log entry.
      throw new DOMException('The answer was broken off.', 'AbortError');
    }
  }
  // `ReadableStream.from` reads only as fast as the reader (WHATWG Streams, section 4.2.2).
  return new Response(ReadableStream.from(streamTexts()) as BodyInit, {
    headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers },
  });
}

/**
 * Places where a spreadsheet recognizes a formula (OWASP ASVS 5, 1.2.10), with full-width characters: at the start of a
 * cell, and after a semicolon or a line break, because spreadsheets of many locales split at semicolons. Spreadsheets
 * ignore spaces and quotes before a formula.
 */
const FORMULAS = /(?<=^|[;\r\n])(?=(?:[^\S\r\n]|")*[=+\-@＝＋－＠]|[\t\r\n\0])/gu;
const QUOTED = /[",\r\n]/;

/** Formats one cell by RFC 4180. Adds an apostrophe before text that a spreadsheet would run as a formula. */
function formatCsvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = value.replace(FORMULAS, "'");
  return QUOTED.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function formatCsvLine(values: readonly CsvValue[]): string {
  return `${values.map(formatCsvCell).join(',')}\r\n`;
}

/** Encodes a position in a list as an opaque `cursor` parameter. `position` is plain JSON. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/**
 * Decodes the position in a cursor.
 * @throws ApiError invalid_request if the schema refuses it, or if `encodeCursor` would spell it differently
 */
export function decodeCursor<T>(schema: z.ZodType<T>, cursor: string): T {
  try {
    const position: unknown = JSON.parse(decodeBase64url(cursor)?.toString('utf8') ?? '');
    if (encodeCursor(position) === cursor) return schema.parse(position);
  } catch {
    // The error is thrown below.
  }
  throw createInvalidField('cursor', 'is not a cursor of this list');
}

/**
 * Builds the `Link` header (RFC 8288) to the next page: the same query with another cursor.
 * The target is relative, so that it is valid for every proxy and does not repeat `Host`.
 * @param target path and query of the current page
 */
export function buildNextLink(target: string, cursor: string): string {
  const { pathname, searchParams } = new URL(target, 'http://origin.invalid');
  searchParams.set('cursor', cursor);
  return `<${pathname}?${searchParams}>; rel="next"`;
}
