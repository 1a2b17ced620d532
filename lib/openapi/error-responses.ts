import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '@/lib/http/api-error';
import type { DescribedOperation } from '@/lib/openapi/described-operation';
import type { Json, SchemaBook } from '@/lib/openapi/schema-book';

const ErrorSchema = z
  .object({
    error: z
      .string()
      .describe('What went wrong, as a code; each status says which ones it can carry.')
      .meta({ example: 'invalid_request' }),
    error_description: z.string().describe('A sentence for people; never what the caller sent.'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('One for each field that is wrong.'),
    request_id: z.string().optional().describe('With `internal_error`: what to look for in the log.'),
  })
  .meta({ id: 'Error', description: 'What every error answers.' });

const ProblemSchema = z
  .object({
    ...ErrorSchema.shape,
    type: z.string().meta({ example: 'urn:sluice:error:invalid_request' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    'violated-policies': z.array(z.string()).optional().describe('With refusals.'),
  })
  .meta({
    id: 'Problem',
    description: 'The same as problem details (RFC 9457), when `Accept` names `application/problem+json`.',
  });

/** What each code means, for the document. */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'the body is not valid JSON, not UTF-8, or missing',
  invalid_request: 'the request breaks its schema',
  unauthorized: 'no or wrong credentials',
  invalid_api_key: 'the API key is unknown, revoked or expired',
  forbidden: 'the role does not allow it, or a cross-site request with a cookie',
  not_found: 'there is no such thing',
  method_not_allowed: 'the resource does not answer this method',
  conflict: 'somebody else changed it, or the name is taken',
  payload_too_large: 'the body is larger than 64 KiB',
  unsupported_media_type: 'the body is not `application/json` in UTF-8',
  rate_limit_exceeded: 'too many requests from this address',
  user_rate_limit_exceeded: 'too many requests of this user',
  client_rate_limit_exceeded: 'too many requests of this client',
  quota_exceeded: 'the monthly quota is used up',
  internal_error: 'a fault on our side',
  service_unavailable: 'the store is out of reach',
};

const HEADERS_BY_STATUS: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** All codes that an operation can answer with. */
export function errorCodes(operation: DescribedOperation): ErrorCode[] {
  const codes = new Set<string>(operation.errors ?? []);
  if (operation.params !== undefined || operation.query !== undefined || operation.body !== undefined)
    codes.add('invalid_request');
  if (operation.body !== undefined)
    for (const code of ['bad_request', 'payload_too_large', 'unsupported_media_type']) codes.add(code);
  if (operation.access !== 'public')
    for (const code of ['unauthorized', 'forbidden', 'rate_limit_exceeded']) codes.add(code);
  if (operation.access !== 'public' || operation.method !== 'GET') codes.add('service_unavailable');
  codes.add('internal_error');
  return Object.keys(ERROR_STATUS).filter((code): code is ErrorCode => codes.has(code));
}

/** The error responses of an operation, by status. */
export function errorResponses(operation: DescribedOperation, book: SchemaBook): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodes(operation))
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  const content = {
    'application/json': { schema: book.schema(ErrorSchema, 'output') },
    'application/problem+json': { schema: book.schema(ProblemSchema, 'output') },
  };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${MEANING[code]}.`).join(' '),
        headers: Object.fromEntries(
          ['X-Request-Id', ...(HEADERS_BY_STATUS[status] ?? [])].map((name) => [
            name,
            { $ref: `#/components/headers/${name}` },
          ]),
        ),
        content,
      },
    ]),
  );
}
