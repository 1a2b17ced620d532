import { z } from 'zod';
import type { Access, RoleAccess } from '@/lib/contract/operation';
import { DRY_RUN, DryRunSchema, type ForeseenChange, hasDryRun, type Preview } from '@/lib/contract/preview';
import { convertFault, logFailure } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { buildErrorAnswer, createUncachedHeaders } from '@/lib/http/error-answer';
import { buildWholeResponse } from '@/lib/http/error-response';
import { createInvalidField, parseInput } from '@/lib/http/input';
import { readJson, requireDeclaredLength } from '@/lib/http/json-body';
import { createResourceHandlers, type Handler, type Handlers } from '@/lib/http/methods';
import { readRequestId } from '@/lib/http/request-id';
import { formatVisibleJson } from '@/lib/http/visible-json';
import { type Context, createRequestContext, Previewed } from '@/lib/operation/context';
import { runIdempotently } from '@/lib/operation/idempotency';
import { type Operation, Reply } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';

export interface RouteContext {
  params: Promise<Record<string, string | string[]>>;
}

/** Adds to planned changes the callers that they would affect. */
export type AddEffects = (context: Context, planned: readonly ForeseenChange[]) => Promise<Preview['changes']>;

/** Creates the route handlers of one path. A handler authorises, parses, runs and answers an operation. */
export function createEndpoint(
  services: () => Promise<Services>,
  operations: readonly Operation[],
  addEffects: AddEffects,
): Handlers<Handler<RouteContext>> {
  const createHandler = (operation: Operation) => async (request: Request, route: RouteContext) => {
    const requestId = readRequestId(request.headers);
    let current: Services | undefined;
    try {
      const own = await services();
      current = own;
      const role = findRequiredRole(operation.access);
      const authorize = () => createRequestContext(own, request, role, requestId, operation.duringSetUp);
      return await answer(authorize, operation, request, await route.params, addEffects);
    } catch (fault) {
      const error = convertFault(fault);
      logFailure(current?.logger, error, { requestId, operation: operation.id }, 'request failed');
      return buildWholeResponse(buildErrorAnswer(error, request.headers.get('accept'), requestId));
    }
  };
  return createResourceHandlers(
    Object.fromEntries(operations.map((operation) => [operation.method, createHandler(operation)])),
  );
}

/** @param authorize checks the caller, and throws if access is refused */
async function answer(
  authorize: () => Promise<Context>,
  operation: Operation,
  request: Request,
  segments: unknown,
  addEffects: AddEffects,
): Promise<Response> {
  const asking = await authorize();
  const params = operation.params === undefined ? {} : parseInput(operation.params, segments, 'path');
  const parameters = new URL(request.url).searchParams;
  const isPreview = hasDryRun(operation) && takePreviewParameter(parameters);
  const query = parseQuery(operation, parameters);
  if (operation.body === undefined && operation.method !== 'GET') requireDeclaredLength(request);
  const raw = operation.body === undefined ? undefined : await readJson(request, operation.body);
  // A body may take seconds to arrive, in which the caller may lose the role.
  const context = operation.body === undefined ? asking : await authorize();
  const body =
    operation.body === undefined || raw === undefined ? undefined : parseInput(operation.body.schema, raw, 'body');

  const reason = operation.reason === 'query' ? Reason.parse(query).reason : null;
  const run = (within: Context) => operation.run({ ...within, reason }, { params, query, body });
  if (isPreview) return buildResponse(PREVIEW, await preview(context, operation, run, addEffects), context);
  const respond = (result: unknown) => buildResponse(operation, result, context);
  if (operation.idempotent !== true) return respond(await run(context));
  const key = request.headers.get('idempotency-key');
  return runIdempotently(context, { key, method: operation.method, body: raw }, run, respond);
}

const PREVIEW = { response: { status: 200 } } as const;
const DryRun = z.object({ [DRY_RUN]: DryRunSchema.default('false') });

/** Removes the parameter from the query and returns its value. @throws ApiError invalid_request */
function takePreviewParameter(parameters: URLSearchParams): boolean {
  const values = parameters.getAll(DRY_RUN);
  if (values.length > 1) throw createInvalidField('query', 'repeats a parameter');
  parameters.delete(DRY_RUN);
  return parseInput(DryRun, { [DRY_RUN]: values[0] }, 'query')[DRY_RUN] === 'true';
}

/** Previews an operation. Changes nothing, and keeps no answer under an `Idempotency-Key`. */
async function preview(
  context: Context,
  operation: Operation,
  run: (within: Context) => Promise<unknown>,
  addEffects: AddEffects,
): Promise<Preview> {
  const planned: ForeseenChange[] = [];
  const result = await run({ ...context, preview: planned }).catch((fault: unknown) => {
    if (fault instanceof Previewed) return fault.result;
    throw fault;
  });
  const { value, options } = result instanceof Reply ? result : new Reply(result);
  const changes = await addEffects(context, planned);
  return { status: options.status ?? operation.response.status, value: redactSecrets(value ?? null), changes };
}

/** Members of answers with values that only a real change creates. */
const SECRETS: ReadonlySet<string> = new Set(['secret', 'secrets', 'token', 'url', 'uri', 'recovery_codes']);

function redactSecrets(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redactSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, SECRETS.has(name) ? null : redactSecrets(member)]),
  );
}

/** Returns the role that an access requires. The operation itself checks other credentials. */
function findRequiredRole(access: Access): RoleAccess {
  return access === 'api-key' || access === 'cron' || access === 'lab-token' || access === 'lab-client'
    ? 'public'
    : access;
}

const Reason = z.object({ reason: z.string().nullable().default(null) });

function buildResponse(
  operation: { response: Pick<Operation['response'], 'status'> },
  result: unknown,
  { requestId, changed }: Context,
): Response {
  const audited: Record<string, string> = changed.seq === null ? {} : { 'X-Audit-Seq': String(changed.seq) };
  if (result instanceof Response) {
    for (const [name, value] of Object.entries({ 'X-Request-Id': requestId, ...audited }))
      result.headers.set(name, value);
    return result;
  }
  const { value, options } = result instanceof Reply ? result : new Reply(result);
  const status = options.status ?? operation.response.status;
  const headers = createUncachedHeaders(requestId, { ...audited, ...options.headers });
  if (status === 204) return new Response(null, { status, headers });
  return buildWholeResponse({
    status,
    headers: { ...headers, 'Content-Type': JSON_TYPE },
    body: formatVisibleJson(value),
  });
}

const JSON_TYPE = 'application/json; charset=utf-8';

function parseQuery({ query }: Operation, parameters: URLSearchParams): unknown {
  const names = [...parameters.keys()];
  if (new Set(names).size < names.length) throw createInvalidField('query', 'repeats a parameter');
  if (query !== undefined) return parseInput(query, Object.fromEntries(parameters), 'query');
  if (names.length > 0) throw new ApiError('invalid_request', 'This operation takes no query parameters.');
  return {};
}
