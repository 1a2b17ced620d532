import { createHash } from 'node:crypto';
import type { EndpointClass, SubjectKind, Window } from '@/lib/limiter/meter';

/** The requests that a counter counts: those of one endpoint class, or all. */
export type CounterScope = EndpointClass | 'all';

/** The longest encoded id in a key, which with the longest kind, scope and window has at most 128 bytes. */
const LONGEST_ID = 96;
const ADDRESS = /^[0-9a-f.:/]+$/;
const PLAIN = /^[\w.~-]+$/;

/**
 * The name of a counter in the store: printable ASCII, at most 128 bytes, `kind|id|scope|seconds` or `kind|id|month`,
 * for example `ip|2001:db8::/64|auth|60`, `user|alice%40example.com|write|3600`, `quota|<uuid>|month`.
 * Ids are encoded so that no id can produce another one's keys.
 */
export function counterKey(kind: SubjectKind, id: string, scope: CounterScope, window: Window): string {
  const prefix = counterPrefix(kind, id);
  return window.kind === 'month' ? `${prefix}month` : `${prefix}${scope}|${window.seconds}`;
}

/** The prefix of all keys of a subject, or of those in one scope. */
export function counterPrefix(kind: SubjectKind, id: string, scope?: CounterScope): string {
  const encoded = encodeId(kind, id);
  return scope === undefined ? `${kind}|${encoded}|` : `${kind}|${encoded}|${scope}|`;
}

/**
 * Addresses unchanged, everything else percent-encoded. An id that is too long, or has no UTF-8 form, becomes the SHA-256
 * of its UTF-16 form; percent-encoding cannot produce the colon in `sha256:`.
 */
function encodeId(kind: SubjectKind, id: string): string {
  if (id.length <= LONGEST_ID && (kind === 'ip' ? ADDRESS : PLAIN).test(id)) return id;
  try {
    const encoded = encodeURIComponent(id);
    if (encoded.length <= LONGEST_ID) return encoded;
  } catch {
    // An unpaired surrogate has no UTF-8 form.
  }
  return `sha256:${createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('base64url')}`;
}
