import type { z } from 'zod';
import { authorize } from '@/lib/auth/authorize';
import type { Access, RoleAccess } from '@/lib/contract/operation';
import { ApiError, type ErrorDetail } from '@/lib/http/api-error';
import { clientAddress } from '@/lib/http/client-address';
import { errorResponse } from '@/lib/http/error-response';
import { toApiError } from '@/lib/http/fault';
import { issueMessage } from '@/lib/http/issue-message';
import { readJson } from '@/lib/http/json-body';
import { requestIdOf } from '@/lib/http/request-id';
import { withIdempotency } from '@/lib/operation/idempotency';
import { type Context, type Operation, Reply } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';

type RouteContext = { params: Promise<Record<string, string | string[]>> };
type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Handlers = Record<(typeof METHODS)[number], RouteHandler>;

/**
 * The route handlers of operation path: every method of its operations, `HEAD` beside `GET`, `OPTIONS`, and 405 with `Allow`
 * for the rest. A route file is `export const { GET, ... } = endpoint(runtime, operation, ...)`.
 */
export function endpoint(services: () => Promise<Services>, ...operations: readonly Operation[]): Handlers {
  const byMethod = new Map<string, Operation>(operations.map((operation) => [operation.method, operation]));
  const allowed = METHODS.filter(
    (method) => method === 'OPTIONS' || byMethod.has(method === 'HEAD' ? 'GET' : method),
  ).join(', ');

  const handler =
    (method: (typeof METHODS)[number]): RouteHandler =>
    async (request, route) => {
      const requestId = requestIdOf(request.headers);
      if (method === 'OPTIONS')
        return new Response(null, { status: 204, headers: { Allow: allowed, 'X-Request-Id': requestId } });
      const operation = byMethod.get(method === 'HEAD' ? 'GET' : method);
      const accept = request.headers.get('accept');
      if (operation === undefined) {
        const error = new ApiError('method_not_allowed', `This resource answers ${allowed}.`, {
          headers: { Allow: allowed },
        });
        return errorResponse(error, accept, requestId);
      }
      let current: Services | undefined;
      try {
        current = await services();
        const response = await answer(current, operation, request, route, requestId);
        if (method !== 'HEAD') return response;
        await response.body?.cancel();
        return new Response(null, { status: response.status, headers: response.headers });
      } catch (fault) {
        const error = toApiError(fault);
        if (error.status >= 500) {
          current?.logger.error({ requestId, operation: operation.id, err: error.cause ?? error }, 'request failed');
        }
        return errorResponse(error, accept, requestId);
      }
    };

  return Object.fromEntries(METHODS.map((method) => [method, handler(method)])) as unknown as Handlers;
}

async function answer(
  services: Services,
  operation: Operation,
  request: Request,
  route: RouteContext,
  requestId: string,
): Promise<Response> {
  const now = services.clock();
  const address = clientAddress(request.headers, services.config)?.text ?? null;
  const actor = await authorize(roleAccess(operation.access), request, services, { now, address });
  const params = operation.params === undefined ? {} : parse(operation.params, await route.params, 'path');
  const query = parseQuery(operation, new URL(request.url));
  const raw = operation.body === undefined ? undefined : await readJson(request, operation.body);
  const body =
    operation.body === undefined || raw === undefined ? undefined : parse(operation.body.schema, raw, 'body');
  const context: Context = { services, actor, requestId, address, now, request };

  const run = (within: Context) => operation.run(within, { params, query, body });
  const answerWith = (result: unknown) => respond(operation, result, requestId);
  return operation.idempotent ? withIdempotency(context, raw, run, answerWith) : answerWith(await run(context));
}

function respond(operation: Operation, result: unknown, requestId: string): Response {
  if (result instanceof Response) {
    result.headers.set('X-Request-Id', requestId);
    return result;
  }
  const reply = result instanceof Reply ? result : new Reply(result);
  const status = reply.options.status ?? operation.response.status;
  const headers = new Headers({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  });
  for (const [name, value] of Object.entries(reply.options.headers ?? {})) headers.set(name, value);
  if (status === 204) return new Response(null, { status, headers });
  headers.set('Content-Type', 'application/json; charset=utf-8');
  return new Response(JSON.stringify(reply.value), { status, headers });
}

function parseQuery(operation: Operation, url: URL): unknown {
  const names = [...url.searchParams.keys()];
  if (new Set(names).size < names.length) throw invalid([{ path: 'query', message: 'repeats a parameter' }]);
  const values = Object.fromEntries(url.searchParams);
  if (operation.query !== undefined) return parse(operation.query, values, 'query');
  const [unknown] = Object.keys(values);
  if (unknown !== undefined) throw new ApiError('invalid_request', 'This operation takes no query parameters.');
  return {};
}

/** Parses input by its schema. @throws ApiError invalid_request with operation detail for each field */
export function parse<T>(schema: z.ZodType<T>, value: unknown, what: 'path' | 'query' | 'body'): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(
    result.error.issues.map((issue) => ({
      path: issue.path.map(String).join('.') || what,
      message: issueMessage(issue),
    })),
  );
}

function invalid(details: readonly ErrorDetail[]): ApiError {
  const first = details[0];
  return new ApiError(
    'invalid_request',
    first === undefined ? 'The request is not valid.' : `The request is not valid: ${first.path} ${first.message}.`,
    { details },
  );
}

/** Credentials that are no role are checked by the operation itself. */
function roleAccess(access: Access): RoleAccess {
  switch (access) {
    case 'api-key':
    case 'cron':
    case 'lab-token':
    case 'lab-client':
      return 'public';
    default:
      return access;
  }
}
