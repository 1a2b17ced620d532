import type { z } from 'zod';
import { invalidField } from '@/lib/http/input';

/** A position in a list as an opaque word for the `cursor` parameter. `position` is plain JSON. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/**
 * The position behind a cursor.
 * @throws ApiError invalid_request when the schema does not accept it
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
