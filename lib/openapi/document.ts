import type { z } from 'zod';
import { type Contract, type DescribedResponse, isForm } from '@/lib/contract/operation';
import { DRY_RUN, DryRunSchema, hasDryRun, PreviewSchema } from '@/lib/contract/preview';
import { ACCESS } from '@/lib/openapi/access';
import { buildCodeSamples } from '@/lib/openapi/code-samples';
import { buildErrorResponses, listHeaders } from '@/lib/openapi/error-responses';
import { type Json, SchemaBook } from '@/lib/openapi/schema-book';
import { listSections } from '@/lib/openapi/sections';

const DESCRIPTION = `Rate limiting, API key quotas and an OAuth security lab on one engine.

Times are RFC 3339 in UTC with milliseconds. Errors are \`{"error": code, "error_description": sentence}\`; with \`Accept: application/problem+json\` they also carry the members of RFC 9457. Every answer carries \`X-Request-Id\`. Lists with pages take \`limit\` and \`cursor\` and answer with \`Link: <...>; rel="next"\`.

Any request can get: 400 \`bad_request\` for invalid HTTP or an invalid \`Host\`, 404 for an unknown path, 405 with \`Allow\` for an unsupported method, 308 to the path without its trailing slash, 408 if head or body arrive too slowly, 413 if the declared body is too large, 417 for an expectation other than \`100-continue\`, 431 if the head exceeds 16 KiB. \`HEAD\` works wherever \`GET\` does; \`OPTIONS\` answers with \`Allow\`.

Long lists are streamed page by page: a row that changes concurrently may or may not be included, and a response whose connection ends early is incomplete.

Roles: \`viewer\` reads, \`operator\` also changes allowlist, counters and quotas, \`owner\` also changes policies, keys, tokens and members; a token of the role \`gateway\` can only ask for decisions. \`x-sluice-access\` says who may call an operation.`;

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An admin token.' },
  adminToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Token',
    description: 'The same admin token, when `Authorization` is already in use.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'next-auth.session-token',
    description:
      "The dashboard's session (`__Secure-next-auth.session-token` over https); changes must come from the same origin.",
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: "An API key's secret." },
  labToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'at+jwt',
    description: 'An access token of the lab. It opens `/api/data` and `/auth/userinfo` only.',
  },
  labClient: {
    type: 'http',
    scheme: 'basic',
    description: 'A client of the lab; `client_secret_post`, `private_key_jwt` and public clients work as well.',
  },
  cron: { type: 'http', scheme: 'bearer', description: 'The `CRON_SECRET` of the configuration.' },
};

const describeCount = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

const HEADERS = {
  'X-Request-Id': { description: 'Names the request in the logs.', schema: { type: 'string' } },
  'X-Audit-Seq': {
    description: 'The number of the audit record of the change: what `POST /v1/admin/audit/{seq}/undo` takes.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: 'The required credentials.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before retrying, at least 1.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Limit': describeCount('Maximum requests per window.'),
  'X-RateLimit-Remaining': describeCount('Remaining requests in the window.'),
  'X-RateLimit-Reset': describeCount('Unix time at which the full limit is available again.'),
  'X-RateLimit-Status': {
    description: '`bypassed`, `degraded`, or the mode of an incident. Absent otherwise.',
    schema: { type: 'string' },
  },
  'X-Quota-Limit': describeCount('With an API key: requests per month.'),
  'X-Quota-Remaining': describeCount('With an API key: remaining requests in the month.'),
  'X-Quota-Reset': describeCount('With an API key: Unix time at which the month ends.'),
  Allow: { description: 'The supported methods.', schema: { type: 'string' } },
  'Access-Control-Allow-Origin': { description: 'Any origin, without cookies.', schema: { type: 'string' } },
  'Access-Control-Expose-Headers': { description: 'What a script may read.', schema: { type: 'string' } },
};

const PARAMETERS = {
  DryRun: {
    name: DRY_RUN,
    in: 'query',
    required: false,
    description: DryRunSchema.description,
    schema: { type: 'string', enum: DryRunSchema.options },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Requests with the same key and body have one effect and the same answer for 24 hours; a different body is a `conflict`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of the version you read (RFC 9110, section 13.1.1). If it has changed since, the answer is `precondition_failed` and nothing changes. `*` matches any version; a weak tag never matches.',
    schema: { type: 'string' },
  },
};

/** Builds the OpenAPI 3.1 document of the operations. @param version version of the product */
export function openApiDocument(operations: readonly Contract[], version: string): Json {
  const book = new SchemaBook();
  const sections = listSections(new Set(operations.map(({ tag }) => tag)));
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation, book) };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    info: { title: 'Sluice', version, description: DESCRIPTION },
    servers: [{ url: '/', description: 'The origin of this document.' }],
    tags: sections.flatMap(({ tags }) => tags.map((name) => ({ name }))),
    'x-tagGroups': sections,
    security: ACCESS.viewer.security,
    paths,
    components: {
      schemas: removeUnreferenced(book.listComponents(), paths),
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      parameters: PARAMETERS,
    },
  };
}

/** Removes schemas without references: those that were only split into parameters. */
function removeUnreferenced(schemas: Json, paths: Json): Json {
  const text = JSON.stringify([paths, schemas]);
  return Object.fromEntries(
    Object.entries(schemas).filter(([name]) => text.includes(`"#/components/schemas/${name}"`)),
  );
}

function describe(operation: Contract, book: SchemaBook): Json {
  const { id, tag, summary, description, access, body, response, example } = operation;
  const parameters = [
    ...describeParameters(operation.params, 'path', book, example?.params),
    ...describeParameters(operation.query, 'query', book, example?.query),
    ...describeParameters(operation.headers, 'header', book, undefined),
    ...(hasDryRun(operation) ? [{ $ref: '#/components/parameters/DryRun' }] : []),
    ...(operation.idempotent === true ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(operation.conditional === true ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
  ];
  const success: Json = {
    description: response.description,
    headers: {
      ...listHeaders(operation, String(response.status), operation.reason === undefined ? [] : ['X-Audit-Seq']),
      ...describeHeaders(response.headers),
    },
  };
  if (response.status !== 204) success.content = describeContent(response, book);
  const responses: Json = { [response.status]: success, ...describeErrors(operation, book) };
  if (hasDryRun(operation)) responses[200] = addPreview(operation, responses[200], book);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    'x-sluice-access': access,
    security: ACCESS[access].security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: describeRequestBody(body, book, example?.body) }),
    responses,
    'x-codeSamples': buildCodeSamples(operation),
  };
}

/** Adds the preview as an alternative to the answer with status 200. */
function addPreview(operation: Contract, usual: unknown, book: SchemaBook): Json {
  const { description, headers = listHeaders(operation, '200'), content } = (usual ?? {}) as Json;
  const preview = book.convertSchema(PreviewSchema, 'output');
  const json = ((content ?? {}) as Json)['application/json'] as Json | undefined;
  return {
    description: `${description === undefined ? '' : `${description} `}With \`dry_run=true\`: what would change.`,
    headers,
    content: {
      ...(content as Json),
      'application/json': { schema: json === undefined ? preview : { anyOf: [json.schema, preview] } },
    },
  };
}

function describeHeaders(headers: Readonly<Record<string, string>> = {}): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
  );
}

function describeContent(
  { schema, mediaTypes = schema === undefined ? [] : ['application/json'] }: Omit<DescribedResponse, 'description'>,
  book: SchemaBook,
): Record<string, { schema: Json }> {
  const isJson = (type: string) => /[/+]json$/.test(type);
  const described = mediaTypes.find(isJson);
  // The specification of another JSON format, such as SARIF, describes its content.
  const chooseSchema = (type: string): Json =>
    type === described && schema !== undefined
      ? book.convertSchema(schema, 'output')
      : { type: isJson(type) ? 'object' : 'string' };
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: chooseSchema(type) }]));
}

function describeRequestBody(body: NonNullable<Contract['body']>, book: SchemaBook, example: unknown): Json {
  const { schema, required, mediaTypes = [] } = body;
  const types = isForm(body) ? mediaTypes : ['application/json', ...mediaTypes];
  const media = { schema: book.convertSchema(schema, 'input'), ...(example === undefined ? {} : { example }) };
  return { required, content: Object.fromEntries(types.map((type) => [type, media])) };
}

/**
 * Builds the errors of an operation and its other responses. If both have the same status, the schema allows either.
 */
function describeErrors(operation: Contract, book: SchemaBook): Json {
  const errors = buildErrorResponses(operation, book);
  const others = Object.entries(operation.otherResponses ?? {}).map(([status, other]) => {
    const headers = { ...listHeaders(operation, status), ...describeHeaders(other.headers) };
    const content = describeContent(other, book);
    const error = errors[status];
    if (error === undefined) {
      const { description } = other;
      return [status, { description, headers, ...(Object.keys(content).length === 0 ? {} : { content }) }];
    }
    for (const [type, { schema }] of Object.entries(content)) {
      const existing = error.content[type];
      content[type] = { schema: existing === undefined ? schema : { anyOf: [schema, existing.schema] } };
    }
    const both = {
      description: `${other.description} ${error.description}`,
      headers: { ...error.headers, ...headers },
      content: { ...error.content, ...content },
    };
    return [status, both];
  });
  return { ...errors, ...Object.fromEntries(others) };
}

/** Converts the members of an object schema to parameters. */
function describeParameters(
  schema: z.ZodType | undefined,
  place: 'path' | 'query' | 'header',
  book: SchemaBook,
  examples: Readonly<Record<string, string>> | undefined,
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required } = book.resolve(book.convertSchema(schema, 'input'));
  return Object.entries(properties as Json).map(([name, property]) => {
    const { description, ...rest } = property as Json;
    const example = examples?.[name];
    return {
      name,
      in: place,
      required: place === 'path' || (Array.isArray(required) && required.includes(name)),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(example === undefined ? {} : { example: rest.type === 'integer' ? Number(example) : example }),
    };
  });
}
