import { z } from 'zod';
import type { Access, RoleAccess } from '@/lib/contract/operation';
import { logFailure, toApiError } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { invalidField, parseInput } from '@/lib/http/input';
import { readJson } from '@/lib/http/json-body';
import { type Handler, type Handlers, resourceHandlers } from '@/lib/http/methods';
import { requestIdOf } from '@/lib/http/request-id';
import { type Context, requestContext } from '@/lib/operation/context';
import { withIdempotency } from '@/lib/operation/idempotency';
import { type Operation, Reply } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';

export interface RouteContext {
  params: Promise<Record<string, string | string[]>>;
}

/** The route handlers of one path: its operations, authorised, parsed, run and answered. */
export function endpoint(
  services: () => Promise<Services>,
  ...operations: readonly Operation[]
): Handlers<Handler<RouteContext>> {
  const handlerOf = (operation: Operation) => async (request: Request, route: RouteContext) => {
    const requestId = requestIdOf(request.headers);
    let current: Services | undefined;
    try {
      current = await services();
      const context = await requestContext(
        current,
        request,
        roleAccess(operation.access),
        requestId,
        operation.duringSetUp,
      );
      return await answer(context, operation, request, await route.params);
    } catch (fault) {
      const error = toApiError(fault);
      logFailure(current?.logger, error, { requestId, operation: operation.id }, 'request failed');
      return errorResponse(error, request.headers.get('accept'), requestId);
    }
  };
  return resourceHandlers(Object.fromEntries(operations.map((operation) => [operation.method, handlerOf(operation)])));
}

async function answer(context: Context, operation: Operation, request: Request, segments: unknown): Promise<Response> {
  const params = operation.params === undefined ? {} : parseInput(operation.params, segments, 'path');
  const query = parseQuery(operation, new URL(request.url).searchParams);
  const raw = operation.body === undefined ? undefined : await readJson(request, operation.body);
  const body =
    operation.body === undefined || raw === undefined ? undefined : parseInput(operation.body.schema, raw, 'body');

  const reason = operation.reason === 'query' ? Reason.parse(query).reason : null;
  const run = (within: Context) => operation.run({ ...within, reason }, { params, query, body });
  const respond = (result: unknown) => toResponse(operation, result, context);
  if (operation.idempotent !== true) return respond(await run(context));
  const key = request.headers.get('idempotency-key');
  return withIdempotency(context, { key, method: operation.method, body: raw }, run, respond);
}

/** Credentials that are no role are checked by the operation itself. */
function roleAccess(access: Access): RoleAccess {
  return access === 'api-key' || access === 'cron' || access === 'lab-token' || access === 'lab-client'
    ? 'public'
    : access;
}

const Reason = z.object({ reason: z.string().nullable().default(null) });

function toResponse(operation: Operation, result: unknown, { requestId, changed }: Context): Response {
  const audited: Record<string, string> = changed.seq === null ? {} : { 'X-Audit-Seq': String(changed.seq) };
  if (result instanceof Response) {
    for (const [name, value] of Object.entries({ 'X-Request-Id': requestId, ...audited }))
      result.headers.set(name, value);
    return result;
  }
  const { value, options } = result instanceof Reply ? result : new Reply(result);
  const status = options.status ?? operation.response.status;
  const headers = new Headers({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...audited,
    ...options.headers,
  });
  if (status === 204) return new Response(null, { status, headers });
  headers.set('Content-Type', 'application/json; charset=utf-8');
  return new Response(JSON.stringify(value), { status, headers });
}

function parseQuery({ query }: Operation, parameters: URLSearchParams): unknown {
  const names = [...parameters.keys()];
  if (new Set(names).size < names.length) throw invalidField('query', 'repeats a parameter');
  if (query !== undefined) return parseInput(query, Object.fromEntries(parameters), 'query');
  if (names.length > 0) throw new ApiError('invalid_request', 'This operation takes no query parameters.');
  return {};
}
