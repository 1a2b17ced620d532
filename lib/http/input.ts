import type { z } from 'zod';
import { ApiError, type ErrorDetail } from '@/lib/http/api-error';

const UNITS: Record<string, string> = { string: ' characters long', array: ' elements long' };
const KINDS: Record<string, string> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  null: 'must be null',
};

const FORMATS: Record<string, string> = { uuid: 'must be a UUID', url: 'must be a URL' };

/** Matches the start of zod's default messages. */
const STOCK = /^(?:Invalid|Too|Unrecognized)/;

/** Parses input with its schema. @throws ApiError invalid_request with one detail for each field */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, part: 'path' | 'query' | 'body'): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const formatPath = ({ path }: z.core.$ZodIssue) => path.map(String).join('.') || part;
  const issues = result.error.issues.flatMap(listMeantErrors);
  throw createInvalidInput(issues.map((issue) => ({ path: formatPath(issue), message: issueMessage(issue) })));
}

/**
 * Returns the errors of the fields of the one branch of a union that has the kind and all members of the input, else the
 * union's own error, which names all of its branches.
 */
function listMeantErrors(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isOther = new Set(['unrecognized_keys', 'invalid_type']);
  const [closest, ...others] = issue.errors.filter(
    (faults) => !faults.some(({ code, path }) => isOther.has(code) && path.length === 0),
  );
  if (closest === undefined || others.length > 0 || closest.every(({ path }) => path.length === 0)) return [issue];
  return closest.flatMap((fault) => listMeantErrors({ ...fault, path: [...issue.path, ...fault.path] }));
}

/**
 * Creates the error for one field that fails a check outside the schema. `message` continues its name: "must lie ...".
 */
export function createInvalidField(path: string, message: string): ApiError {
  return createInvalidInput([{ path, message }]);
}

function createInvalidInput(details: readonly ErrorDetail[]): ApiError {
  const [first] = details;
  const reason = first === undefined ? '' : `: ${first.path} ${first.message}`;
  return new ApiError('invalid_request', `The request is not valid${reason}.`, { details });
}

/** Describes the error of a field without its name: "must be one of ip, user_id". Never repeats the input. */
export function issueMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'has a member that is not known';
  if (!STOCK.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is required';
      return KINDS[issue.expected] ?? 'has the wrong type';
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? `must have the form of ${issue.format}`;
    default:
      return 'is not valid';
  }
}
