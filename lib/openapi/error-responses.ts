import { z } from 'zod';
import { RefusalCodeSchema } from '@/lib/contract/fields/enumerations';
import { type Contract, isForm } from '@/lib/contract/operation';
import { findProtection } from '@/lib/enforcement/admission';
import { DECISION_HEADERS, IETF_HEADERS } from '@/lib/enforcement/headers';
import { addCorsHeaders } from '@/lib/enforcement/refused-answer';
import { ERROR_STATUS, type ErrorCode } from '@/lib/http/api-error';
import { MAX_BODY_BYTES } from '@/lib/http/body-limits';
import { ACCESS } from '@/lib/openapi/access';
import type { Json, SchemaBook } from '@/lib/openapi/schema-book';

const ErrorSchema = z
  .object({
    error: z
      .string()
      .describe('The error code; each status lists the codes it can carry.')
      .meta({ example: 'invalid_request' }),
    error_description: z.string().describe('A message for people; never echoes input.'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('One per invalid field.'),
    limit_name: z.string().optional().describe('The named limit that refused.'),
    request_id: z.string().optional().describe('With `internal_error`: the id to search for in the log.'),
  })
  .meta({ id: 'Error', description: 'The error response.' });

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

/** Meaning of each code, for the document. */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'the body is not valid JSON, not UTF-8, or missing',
  invalid_request: 'the request does not match its schema',
  unauthorized: 'no or wrong credentials',
  invalid_api_key: 'the API key is unknown, revoked or expired',
  forbidden: 'the role does not allow it, or a cross-site request with a cookie',
  not_found: 'the resource does not exist',
  method_not_allowed: 'the resource does not support this method',
  conflict: 'a concurrent change, a duplicate name, or an `Idempotency-Key` that another request has used',
  precondition_failed: 'it has changed since you read it (`If-Match`); nothing was changed',
  payload_too_large: 'the body is larger than',
  unsupported_media_type: 'the body is not `application/json` in UTF-8, or is compressed',
  rate_limit_exceeded: 'too many requests from this address',
  user_rate_limit_exceeded: 'too many requests of this user',
  client_rate_limit_exceeded: 'too many requests of this client',
  quota_exceeded: 'the monthly quota is used up',
  internal_error: 'a fault on our side',
  bad_gateway: 'the upstream sent an answer that cannot be forwarded',
  service_unavailable: 'the store is down, or this instance is at its request limit',
};

/** Meaning of codes where a decision can refuse the request. */
const MEANING_OF_REFUSAL: Readonly<Partial<Record<ErrorCode, string>>> = {
  rate_limit_exceeded: 'too many requests from this address, or too much for a named limit',
  service_unavailable:
    'the store is down, this instance is at its request limit, or an incident allows only requests that read',
};

const HEADERS_BY_STATUS: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Headers of every decision, whether it admits the request or not. */
const LIMIT_HEADERS = DECISION_HEADERS.filter((name) => name !== 'Retry-After' && !IETF_HEADERS.includes(name));

/** Errors of `admission`, which runs before the operation (`proxy.ts`). */
const ENFORCEMENT: readonly ErrorCode[] = ['invalid_request', ...RefusalCodeSchema.options];

/** Errors of a JSON body. The lab reads forms, and has separate errors. */
const JSON_BODY: readonly ErrorCode[] = ['bad_request', 'invalid_request', 'unsupported_media_type'];

/** Lists all error codes of an operation: those of the layers around it, and those that it declares. */
export function listErrorCodes(operation: Contract): ErrorCode[] {
  const { errors = [], access, method, params, body, servedBy, idempotent, conditional, path } = operation;
  const ours = servedBy === undefined;
  const changes = idempotent === true || !['GET', 'POST'].includes(method);
  const codes = new Set<ErrorCode>([
    ...errors,
    ...(ACCESS[access].errors ?? []),
    ...(findProtection(path, false) === 'protected' ? ENFORCEMENT : []),
    // Every operation behind `route` rejects unlisted query parameters.
    ...(ours ? (['invalid_request', 'service_unavailable'] as const) : []),
    // An entry that the path names may be missing. A change can conflict with a concurrent one.
    ...(ours && params !== undefined ? (['not_found'] as const) : []),
    ...(ours && changes ? (['conflict'] as const) : []),
    ...(body === undefined || isForm(body) ? [] : JSON_BODY),
    // An operation without a body still refuses a long one.
    ...(body === undefined && method === 'GET' ? [] : (['payload_too_large'] as const)),
    ...(idempotent === true ? (['invalid_request'] as const) : []),
    ...(conditional === true ? (['invalid_request', 'precondition_failed'] as const) : []),
    'internal_error',
  ]);
  return Object.keys(ERROR_STATUS).filter((code): code is ErrorCode => codes.has(code as ErrorCode));
}

/** Returns whether a decision can refuse the requests of an operation. Then its answers carry the decision's headers. */
function isDecided(operation: Contract): boolean {
  return listErrorCodes(operation).includes('quota_exceeded');
}

function explainCode(code: ErrorCode, operation: Contract): string {
  if (code !== 'payload_too_large')
    return (isDecided(operation) ? MEANING_OF_REFUSAL[code] : undefined) ?? MEANING[code];
  const kibibytes = (operation.body?.limit ?? MAX_BODY_BYTES) / 1024;
  return `${MEANING[code]} ${kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`}`;
}

/** Lists the headers that answers of an operation carry with a status. */
export function listHeaders(operation: Contract, status: string, more: readonly string[] = []): Json {
  const decided = isDecided(operation) ? LIMIT_HEADERS : [];
  return Object.fromEntries(
    ['X-Request-Id', ...(HEADERS_BY_STATUS[status] ?? []), ...decided, ...more].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

/** Builds the error responses of an operation, by status. */
export function buildErrorResponses(operation: Contract, book: SchemaBook) {
  const byStatus = new Map<number, { meanings: Map<string, string>; headers: Set<string> }>();
  for (const code of listErrorCodes(operation)) {
    const status = ERROR_STATUS[code];
    const shown = addCorsHeaders({ code, status, description: '' }, operation.path);
    const entry = byStatus.get(status) ?? { meanings: new Map(), headers: new Set() };
    entry.meanings.set(code, explainCode(code, operation));
    for (const name of Object.keys(shown.headers ?? {})) entry.headers.add(name);
    byStatus.set(status, entry);
  }
  const content: Record<string, { schema: Json }> = {
    'application/json': { schema: book.convertSchema(ErrorSchema, 'output') },
    'application/problem+json': { schema: book.convertSchema(ProblemSchema, 'output') },
  };
  return Object.fromEntries<{ description: string; headers: Json; content: typeof content } | undefined>(
    [...byStatus].map(([status, { meanings, headers }]) => [
      String(status),
      {
        description: [...meanings].map(([code, meaning]) => `\`${code}\`: ${meaning}.`).join(' '),
        headers: listHeaders(operation, String(status), [...headers]),
        content,
      },
    ]),
  );
}
