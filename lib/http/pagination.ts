import type { z } from 'zod';
import { ApiError } from '@/lib/http/api-error';

/** A position in a list as an opaque word for the `cursor` parameter. `position` is plain JSON. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/**
 * The position behind a cursor.
 * @throws ApiError invalid_request when it is none of this list
 */
export function decodeCursor<T>(schema: z.ZodType<T>, cursor: string): T {
  let position: unknown;
  try {
    position = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    position = undefined;
  }
  const result = schema.safeParse(position);
  if (result.success) return result.data;
  const details = [{ path: 'cursor', message: 'is not a cursor of this list' }];
  throw new ApiError('invalid_request', 'The request is not valid: cursor is not a cursor of this list.', { details });
}

/**
 * `Link` (RFC 8288) to the page after this one: the same query with another cursor. The target is relative, so that it
 * holds behind every proxy and repeats no `Host`.
 */
export function nextLink(requestUrl: string, cursor: string): string {
  const url = new URL(requestUrl);
  url.searchParams.set('cursor', cursor);
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/** A page and the headers that lead to the next one. */
export interface Page<T> {
  items: T[];
  headers: Record<string, string>;
}

/**
 * Cuts a page out of rows that were read with `limit + 1`: one row more than asked for says that there is another page.
 * @param positionOf what `decodeCursor` gives back for the next page, from the last row of this one
 */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  requestUrl: string,
  positionOf: (last: T) => unknown,
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, headers: more ? { Link: nextLink(requestUrl, encodeCursor(positionOf(last))) } : {} };
}
