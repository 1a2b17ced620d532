import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { ApiError } from '@/lib/http/api-error';
import { readBytes, readMediaType } from '@/lib/http/json-body';
import type { Violations } from '@/lib/oauth/lab/respond';

/** Length of the longest parameter, in UTF-16 units. Tokens may be longer. */
const PARAMETER_LIMIT = 2_048;
const TOKEN_LIMIT = 16_384;

/** Parameters that may be repeated (RFC 8707 section 2). */
const REPEATABLE = new Set(['resource', 'audience']);
const LONG = new Set([
  'token',
  'refresh_token',
  'subject_token',
  'actor_token',
  'id_token_hint',
  'request',
  'client_assertion',
]);
/** Parameters that are opaque to the server, so any text is allowed. */
const FREE_TEXT = new Set(['state', 'nonce']);

/** Parameters of one request. A parameter without a value counts as omitted (RFC 6749 section 3.1). */
export class Parameters {
  readonly entries: readonly (readonly [string, string])[];

  constructor(entries: Iterable<readonly [string, string]>) {
    this.entries = [...entries].filter(([, value]) => value !== '');
  }

  get(name: string): string | undefined {
    return this.entries.find(([key]) => key === name)?.[1];
  }

  /** Returns the value of a parameter. Returns null and records a violation if it is missing. */
  requireValue(name: string, violations: Violations): string | null {
    const value = this.get(name);
    if (value === undefined) violations.note(null, `${name} is missing.`);
    return value ?? null;
  }

  getAll(name: string): string[] {
    return this.entries.filter(([key]) => key === name).map(([, value]) => value);
  }

  /**
   * Records violations of the general rules: repeated parameters (RFC 6749 sections 3.1, 3.2), long ones, control
   * characters.
   */
  check(violations: Violations): void {
    const seen = new Set<string>();
    let repeated = false;
    for (const [name, value] of this.entries) {
      if (seen.has(name) && !REPEATABLE.has(name)) repeated = true;
      seen.add(name);
      const shown = /^[a-z_]{1,40}$/.test(name) ? name : 'A parameter';
      if (value.length > (LONG.has(name) ? TOKEN_LIMIT : PARAMETER_LIMIT)) {
        violations.note(null, `${shown} is too long.`);
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them
      if (!FREE_TEXT.has(name) && /[\u0000-\u001f\u007f\ufffd]/.test(value)) {
        violations.note(null, `${shown} holds control characters or invalid UTF-8.`);
      }
    }
    if (repeated) violations.note('duplicate-parameters', 'A parameter is sent more than once.');
  }

  /** Returns the values of a space-separated list, such as a scope. */
  list(name: string): string[] {
    return (this.get(name) ?? '').split(' ').filter((value) => value !== '');
  }
}

export function readQuery(request: Request): Parameters {
  return new Parameters(new URL(request.url).searchParams);
}

/**
 * Reads the parameters in a body: form encoding (RFC 6749 appendix B) or a JSON object of strings. The same rules apply
 * to both. Returns null and records a violation if the body is unreadable.
 */
export async function readBody(request: Request, violations: Violations): Promise<Parameters | null> {
  const noteUnreadableBody = (description: string, error?: 'payload_too_large') => {
    violations.note(null, description, error);
    return null;
  };
  const type = readMediaType(request);
  if (type !== 'application/x-www-form-urlencoded' && type !== 'application/json') {
    return noteUnreadableBody('The body must be application/x-www-form-urlencoded or application/json.');
  }
  try {
    const bytes = await readBytes(request);
    if (!isUtf8(bytes)) return noteUnreadableBody('The body is not UTF-8.');
    const text = new TextDecoder().decode(bytes);
    return new Parameters(type === 'application/json' ? listMembers(text) : new URLSearchParams(text));
  } catch (error) {
    if (error instanceof ApiError)
      return noteUnreadableBody(error.description, error.code === 'payload_too_large' ? error.code : undefined);
    if (error instanceof SyntaxError) return noteUnreadableBody('The body is not valid JSON.');
    if (error instanceof z.ZodError) return noteUnreadableBody('A JSON body must be one object of strings.');
    throw error;
  }
}

const JsonBody = z.object({ resource: z.union([z.string(), z.array(z.string())]).optional() }).catchall(z.string());

/**
 * Returns the members of a JSON object, including repeated ones, which `JSON.parse` hides.
 * @throws SyntaxError, ZodError
 */
function listMembers(text: string): [string, string][] {
  const members = Object.entries(JsonBody.parse(JSON.parse(text))).flatMap(([name, member]) =>
    [member].flat().map((value): [string, string] => [name, value ?? '']),
  );
  const seen = new Set<string>();
  const repeated = listMemberNames(text).find((name) => seen.has(name) || !seen.add(name));
  return repeated === undefined ? members : [...members, [repeated, 'repeated']];
}

/** Returns the member names of the outermost object. The text must be valid JSON. */
function listMemberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token, quoted] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (quoted !== undefined && depth === 1) names.push(String(JSON.parse(quoted)));
  }
  return names;
}
