import { isUtf8 } from 'node:buffer';
import { ApiError } from '@/lib/http/api-error';
import { createTooLarge, MAX_BODY_BYTES } from '@/lib/http/body-limits';
import type { RequestHead } from '@/lib/http/request-head';

const MAX_DEPTH = 8;
const JSON_TYPE = 'application/json';

/**
 * Refuses a compressed body, because a few bytes could expand to any size.
 * @throws ApiError unsupported_media_type
 */
function requireUncompressed({ headers }: Pick<RequestHead, 'headers'>): void {
  const coding = headers.get('content-encoding');
  if (coding === null || /^(?:identity)?$/i.test(coding.trim())) return;
  throw new ApiError('unsupported_media_type', 'The body must not be compressed.', {
    headers: { 'Accept-Encoding': 'identity' },
  });
}

/**
 * Refuses a body whose declared length exceeds the limit, in bytes.
 * @throws ApiError payload_too_large
 */
export function requireDeclaredLength({ headers }: Pick<RequestHead, 'headers'>, limit = MAX_BODY_BYTES): void {
  if (Number(headers.get('content-length') ?? 0) > limit) throw createTooLarge(limit);
}

/**
 * Reads a body of at most `limit` bytes, and buffers no more than that.
 * @throws ApiError payload_too_large, unsupported_media_type
 */
export async function readBytes(request: Request, limit = MAX_BODY_BYTES): Promise<Uint8Array> {
  if (request.body !== null) requireUncompressed(request);
  return readAnyBytes(request, limit);
}

/** Reads a body like `readBytes`, with any content coding. It is not decoded. @throws ApiError payload_too_large */
export async function readAnyBytes(request: Request, limit = MAX_BODY_BYTES): Promise<Uint8Array> {
  requireDeclaredLength(request, limit);
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      // The cancellation of a cloned request resolves only after the other copy is cancelled, so it is not awaited.
      void reader.cancel().catch(() => undefined);
      throw createTooLarge(limit);
    }
    chunks.push(value);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Returns the media type without parameters, in lower case. Empty if there is none. */
export function readMediaType(request: Pick<RequestHead, 'headers'>): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export interface JsonBodyOptions {
  required: boolean;
  /** Media types accepted in addition to `application/json`. */
  mediaTypes?: readonly string[];
  /** Largest body in bytes, by default 64 KiB. */
  limit?: number;
}

/**
 * Reads the body as JSON (RFC 8259: UTF-8 without a byte order mark).
 * Also refuses repeated member names, invalid UTF-8 and nesting deeper than 8, which `JSON.parse` or the decoder would
 * accept, and the member `__proto__`, which schemas would drop.
 * @returns undefined if the body is empty and not required
 * @throws ApiError bad_request, invalid_request, payload_too_large, unsupported_media_type
 */
export async function readJson(request: Request, options: JsonBodyOptions): Promise<unknown> {
  return parseReadBody(request, await readBytes(request, options.limit), options);
}

/**
 * Parses a body that was read already, with the rules of `readJson`.
 * @throws ApiError bad_request, invalid_request, unsupported_media_type
 */
export function parseReadBody(
  request: Pick<RequestHead, 'headers'>,
  bytes: Uint8Array,
  options: JsonBodyOptions,
): unknown {
  if (bytes.byteLength === 0) {
    if (options.required) throw new ApiError('bad_request', 'A JSON body is required.');
    return undefined;
  }
  requireUncompressed(request);
  if (request.headers.get('content-type') !== JSON_TYPE) requireJsonType(request, options);
  return parseJson(bytes);
}

function requireJsonType(request: Pick<RequestHead, 'headers'>, options: JsonBodyOptions): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers.get('content-type') ?? '')?.[1]?.toLowerCase();
  const accepted = [JSON_TYPE, ...(options.mediaTypes ?? [])].includes(readMediaType(request));
  if (accepted && (charset === undefined || charset === 'utf-8')) return;
  throw new ApiError('unsupported_media_type', 'The body must be application/json in UTF-8.', {
    headers: { Accept: JSON_TYPE },
  });
}

/** Parses strict JSON from bytes. @throws ApiError bad_request, invalid_request */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new ApiError('bad_request', 'The body is not valid UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('bad_request', 'The body is not valid JSON.');
  }
  const held = measureNesting(value);
  if (held.depth > MAX_DEPTH) throw createNestedTooDeep();
  // Every member has a colon. If there are no more colons than members, no name repeats, and the value is complete.
  if (!hasMoreColons(text, held.members)) return value;
  const written = measureShape(text);
  if (written.depth > MAX_DEPTH) throw createNestedTooDeep();
  // `JSON.parse` keeps only the last member of a name.
  if (held.members < written.members)
    throw new ApiError('bad_request', 'The body repeats a member name in one object.');
  return value;
}

function createNestedTooDeep(): ApiError {
  return new ApiError('invalid_request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
}

function hasMoreColons(text: string, count: number): boolean {
  let colons = 0;
  for (let at = text.indexOf(':'); at >= 0 && colons <= count; at = text.indexOf(':', at + 1)) colons += 1;
  return colons > count;
}

/** Measures the nesting of a parsed value, and counts its members. Stops below the allowed depth. */
function measureNesting(value: unknown): { depth: number; members: number } {
  const shape = { depth: 0, members: 0 };
  const visit = (from: unknown, depth: number): void => {
    if (typeof from !== 'object' || from === null) return;
    if (depth > shape.depth) shape.depth = depth;
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(from)) {
      for (const element of from) if (typeof element === 'object') visit(element, depth + 1);
      return;
    }
    // Parsed objects inherit no enumerable members.
    for (const name in from) {
      if (name === '__proto__') throw new ApiError('invalid_request', 'The body has a member `__proto__`.');
      shape.members += 1;
      const member: unknown = from[name as keyof typeof from];
      if (typeof member === 'object') visit(member, depth + 1);
    }
  };
  visit(value, 1);
  return shape;
}

/** Measures the nesting of brackets in valid JSON, and counts the members as written. */
function measureShape(json: string): { depth: number; members: number } {
  let open = 0;
  let depth = 0;
  let members = 0;
  for (let index = 0; index < json.length; index += 1) {
    switch (json.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(json, index);
        break;
      case 0x3a: // :
        members += 1;
        break;
      case 0x7b: // {
      case 0x5b: // [
        open += 1;
        if (open > depth) depth = open;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open -= 1;
    }
  }
  return { depth, members };
}

/** Finds the closing quote of the string in valid JSON whose opening quote is at `start`. */
function endOfString(json: string, start: number): number {
  for (let index = start + 1; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === 0x22) return index;
    if (code === 0x5c) index += 1; // a backslash
  }
  return json.length;
}
