import { ApiError } from '@/lib/http/api-error';
import { mediaType, readBytes } from '@/lib/http/json-body';
import type { Violation } from '@/lib/oauth/lab/violation';

/** The longest parameter, in UTF-16 units; tokens may be longer. */
const PARAMETER_LIMIT = 2_048;
const TOKEN_LIMIT = 16_384;

/** RFC 8707 section 2 lets this one be repeated. */
const REPEATABLE = new Set(['resource']);
const LONG = new Set(['token', 'refresh_token', 'id_token_hint', 'request']);
/** Opaque to the server, whatever is in them. */
const FREE_TEXT = new Set(['state', 'nonce']);

/** The parameters of one request. Those without a value count as left out (RFC 6749 section 3.1). */
export class Parameters {
  readonly #entries: readonly (readonly [string, string])[];

  constructor(entries: Iterable<readonly [string, string]>) {
    this.#entries = [...entries].filter(([, value]) => value !== '');
  }

  /** The first value, or undefined. */
  get(name: string): string | undefined {
    return this.#entries.find(([key]) => key === name)?.[1];
  }

  /** Every value, in order. */
  all(name: string): string[] {
    return this.#entries.filter(([key]) => key === name).map(([, value]) => value);
  }

  /** Every pair, in order. */
  entries(): readonly (readonly [string, string])[] {
    return this.#entries;
  }

  /** What is wrong with the parameters as such: repeated (RFC 6749 sections 3.1, 3.2), too long, control characters. */
  violations(): Violation[] {
    const violations: Violation[] = [];
    const bad = (control: Violation['control'], description: string) =>
      violations.push({ control, error: 'invalid_request', description });
    const seen = new Set<string>();
    let repeated = false;
    for (const [name, value] of this.#entries) {
      if (seen.has(name) && !REPEATABLE.has(name)) repeated = true;
      seen.add(name);
      const known = /^[a-z_]{1,40}$/.test(name) ? name : 'A parameter';
      if (value.length > (LONG.has(name) ? TOKEN_LIMIT : PARAMETER_LIMIT)) bad(null, `${known} is too long.`);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      if (!FREE_TEXT.has(name) && /[\u0000-\u001f\u007f\ufffd]/.test(value)) {
        bad(null, `${known} holds control characters or invalid UTF-8.`);
      }
    }
    if (repeated) bad('duplicate-parameters', 'A parameter is sent more than once.');
    return violations;
  }
}

/** The parameters of a request, or why they cannot be read at all. */
export type ParameterReading = { ok: true; parameters: Parameters } | { ok: false; violation: Violation };

const unreadable = (description: string, status?: number): ParameterReading => ({
  ok: false,
  violation: { control: null, error: status === 413 ? 'payload_too_large' : 'invalid_request', description, status },
});

/** The parameters of the query. */
export function readQuery(request: Request): Parameters {
  return new Parameters(new URL(request.url).searchParams);
}

/** The parameters of the body: form encoding (RFC 6749 appendix B) or a JSON object of strings, with the same rules. */
export async function readBody(request: Request): Promise<ParameterReading> {
  const type = mediaType(request);
  if (type !== 'application/x-www-form-urlencoded' && type !== 'application/json') {
    return unreadable('The body must be application/x-www-form-urlencoded or application/json.');
  }
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(request);
  } catch (error) {
    if (error instanceof ApiError) return unreadable(error.description, 413);
    throw error;
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return unreadable('The body is not UTF-8.');
  }
  if (type === 'application/json') return readJson(text);
  return { ok: true, parameters: new Parameters(new URLSearchParams(text)) };
}

/** Keeps the members in the order of the text, repeated ones included: `JSON.parse` alone would hide them. */
function readJson(text: string): ParameterReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('A JSON body must be one object of strings.');
  }
  const entries: [string, string][] = [];
  for (const [name, member] of Object.entries(value)) {
    const values: unknown[] = REPEATABLE.has(name) && Array.isArray(member) ? member : [member];
    for (const value of values) {
      if (typeof value !== 'string') return unreadable('A JSON body must be value object of strings.');
      entries.push([name, value]);
    }
  }
  const seen = new Set<string>();
  const repeated = memberNames(text).find((name) => seen.has(name) || !seen.add(name));
  if (repeated !== undefined) entries.push([repeated, 'repeated']);
  return { ok: true, parameters: new Parameters(entries) };
}

/** The names of the outermost object's members in a text that is known to be JSON. */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token, quoted] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (quoted !== undefined && depth === 1) names.push(String(JSON.parse(quoted)));
  }
  return names;
}
