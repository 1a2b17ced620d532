import { createHash } from 'node:crypto';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';

/** One entity tag (RFC 9110 section 8.8.3). It may contain a comma. */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
/** `#entity-tag`: elements may be empty (RFC 9110 section 5.6.1.2), but not all of them. */
const TAGS = new RegExp(`^[ \\t,]*${TAG.source}(?:[ \\t]*,[ \\t,]*${TAG.source})*[ \\t,]*$`);

/** Returns the entity tag of a resource with a revision. It changes only when the resource changes. */
export function buildRevisionTag(revision: number): string {
  return `"${revision}"`;
}

/** Returns the entity tag of a document. Equal documents have equal tags. */
export function buildDocumentTag(value: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
}

/**
 * Rejects a change of a version that the caller has not read. Without `If-Match` the last writer wins. `*` matches any
 * version, and a weak tag never matches (RFC 9110 section 13.1.1). For contracts with `conditional: true`.
 * @param header the request's `If-Match`
 * @throws ApiError precondition_failed; invalid_request if the header is malformed
 */
export function requireMatch(header: string | null, current: string): void {
  if (header === null || header.trim() === '*') return;
  if (!TAGS.test(header)) throw createInvalidField('If-Match', 'must be * or a list of entity tags');
  if (header.match(new RegExp(TAG, 'g'))?.includes(current)) return;
  throw new ApiError('precondition_failed', 'It was changed since it was read; nothing was saved. Read it again.', {
    headers: { ETag: current },
  });
}
