import { createHash } from 'node:crypto';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/invalid-field';

/** One element of an `If-Match` list (RFC 9110 section 8.8.3). */
const TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;

/** The entity tag of something that has a revision: it changes with every change of it and with nothing else. */
export function revisionTag(revision: number): string {
  return `"${revision}"`;
}

/** The entity tag of a document: equal documents have equal tags. */
export function documentTag(value: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
}

/**
 * Refuses a change of something that is not (any more) what the caller has seen. Without `If-Match` the last writer
 * wins; `*` matches everything that exists; the comparison is strong (RFC 9110 section 13.1.1).
 * @throws ApiError conflict, invalid_request
 */
export function requireMatch(request: Request, current: string): void {
  const header = request.headers.get('if-match');
  if (header === null) return;
  const tags = header.split(',').map((tag) => tag.trim());
  if (tags.length === 1 && tags[0] === '*') return;
  if (!tags.every((tag) => TAG.test(tag))) throw invalidField('If-Match', 'must be a list of entity tags');
  if (tags.includes(current)) return;
  throw new ApiError('conflict', 'It was changed since it was read: read it again and decide anew.', {
    headers: { ETag: current },
  });
}
