import { createHash } from 'node:crypto';
import type { EndpointClass, SubjectKind, Window } from '@/lib/limiter/meter';

/** The requests that a counter covers: those of one endpoint class, or all. */
export type CounterScope = EndpointClass | 'all';

/** Length of the longest encoded id. With the longest kind, scope and window a key then has at most 128 bytes. */
const LONGEST_ID = 96;
const ADDRESS = /^[0-9a-f.:/]+$/;
const PLAIN = /^[\w.~-]+$/;

/**
 * Builds the name of a counter in the store: printable ASCII, at most 128 bytes. The form is `kind|id|scope|seconds` or
 * `kind|id|month`, for example `ip|2001:db8::/64|auth|60`, `user|alice%40example.com|write|3600`, `quota|<uuid>|month`.
 * Ids are encoded, so that two ids never produce the same key.
 */
export function buildCounterKey(kind: SubjectKind, id: string, scope: CounterScope, window: Window): string {
  const prefix = buildCounterPrefix(kind, id);
  return window.kind === 'month' ? `${prefix}month` : `${prefix}${scope}|${window.seconds}`;
}

/**
 * Formats the window of a named limit, as the last part of its key: `limit|<subject>|<id>|<seconds>`, or with `month` and
 * the day on which it begins, or with a plus before the seconds for places in flight. Windows that differ never share a
 * counter. The id of a limit has at most 12 letters and digits.
 */
export function formatWindow(window: Window, isPlace = false): string {
  if (window.kind === 'month') return `month${window.anchor?.day ?? ''}`;
  return `${isPlace ? '+' : ''}${window.seconds}`;
}

/**
 * Builds the prefix of all keys of a subject, or of its keys in one scope. The scope of a named limit is its id.
 */
export function buildCounterPrefix(kind: SubjectKind, id: string, scope?: string): string {
  const encoded = encodeId(kind, id);
  return scope === undefined ? `${kind}|${encoded}|` : `${kind}|${encoded}|${scope}|`;
}

/**
 * Encodes an id. Addresses stay as they are, any other id is percent-encoded. An id that is too long, or has no UTF-8
 * form, becomes the SHA-256 of its UTF-16 form. Percent-encoding cannot produce the colon in `sha256:`.
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
