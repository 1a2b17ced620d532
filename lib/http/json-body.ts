import { visit } from 'jsonc-parser';
import { ApiError } from '@/lib/http/api-error';

/** Largest body that any operation reads, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 8;

/**
 * Reads a body of at most `limit` bytes without buffering more than that.
 * @throws ApiError payload_too_large
 */
export async function readBytes(request: Request, limit = MAX_BODY_BYTES): Promise<Uint8Array> {
  const tooLarge = () => new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`);
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > limit) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    chunks.push(value);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The media type without parameters, in lower case; empty when there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export interface JsonBodyOptions {
  required: boolean;
  /** Accepted beside `application/json`. */
  mediaTypes?: readonly string[];
}

/**
 * The body as JSON (RFC 8259, so UTF-8 without a byte order mark), with what `JSON.parse` lets through refused:
 * repeated member names, invalid UTF-8 and nesting deeper than 8.
 * @returns undefined when the body is empty and not required
 * @throws ApiError bad_request, invalid_request, payload_too_large, unsupported_media_type
 */
export async function readJson(request: Request, options: JsonBodyOptions): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.byteLength === 0) {
    if (options.required) throw new ApiError('bad_request', 'A JSON body is required.');
    return undefined;
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers.get('content-type') ?? '')?.[1]?.toLowerCase();
  if (!['application/json', ...(options.mediaTypes ?? [])].includes(mediaType(request)) || (charset !== undefined && charset !== 'utf-8')) {
    throw new ApiError('unsupported_media_type', 'The body must be application/json in UTF-8.', { headers: { Accept: 'application/json' } });
  }
  return parseJson(bytes);
}

/**
 * Strict JSON from bytes.
 * @throws ApiError bad_request, invalid_request
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ApiError('bad_request', 'The body is not valid UTF-8.');
  }
  // The depth is bounded before JSON.parse recurses into it.
  if (nesting(text) > MAX_DEPTH) {
    if (!isJson(text)) throw new ApiError('bad_request', 'The body is not valid JSON.');
    throw new ApiError('invalid_request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('bad_request', 'The body is not valid JSON.');
  }
  refuseRepeatedNames(text);
  return value;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** How deep brackets nest outside of strings. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

function refuseRepeatedNames(text: string): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectProperty: (name) => {
      const names = open.at(-1);
      if (names?.has(name)) throw new ApiError('bad_request', 'The body repeats a member name in one object.');
      names?.add(name);
    },
    onObjectEnd: () => {
      open.pop();
    },
  });
}
