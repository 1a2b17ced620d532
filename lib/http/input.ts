import type { z } from 'zod';
import { ApiError, type ErrorDetail } from '@/lib/http/api-error';
import { issueMessage } from '@/lib/http/issue-message';

/** Parses input by its schema. @throws ApiError invalid_request with one detail for each field */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, part: 'path' | 'query' | 'body'): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidInput(
    result.error.issues.map((issue) => ({
      path: issue.path.map(String).join('.') || part,
      message: issueMessage(issue),
    })),
  );
}

/** The refusal of one field that its schema alone cannot judge. `message` continues its name: "must lie ...". */
export function invalidField(path: string, message: string): ApiError {
  return invalidInput([{ path, message }]);
}

function invalidInput(details: readonly ErrorDetail[]): ApiError {
  const [first] = details;
  const reason = first === undefined ? '' : `: ${first.path} ${first.message}`;
  return new ApiError('invalid_request', `The request is not valid${reason}.`, { details });
}
