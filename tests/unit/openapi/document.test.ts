import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addEffects } from '@/lib/admin/add-effects';
import { mountApi } from '@/lib/api/mount';
import { OPERATIONS } from '@/lib/api/operations';
import { parseConfig } from '@/lib/config/config';
import { CONTRACTS } from '@/lib/contract/contracts';
import { openApiText, readOpenApi } from '@/lib/openapi/read-openapi';
import { createEndpoint } from '@/lib/operation/endpoint';
import { table } from '../../fixtures/table';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into a document of any shape.
type Any = any;

const document: Any = JSON.parse(openApiText().text);
const described: [string, string, Any][] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as object).map(([method, operation]): [string, string, Any] => [
    method.toUpperCase(),
    path,
    operation,
  ]),
);

function walk(value: unknown, visit: (node: Any, at: string) => void, at = '#'): void {
  if (typeof value !== 'object' || value === null) return;
  visit(value, at);
  for (const [key, member] of Object.entries(value)) walk(member, visit, `${at}/${key}`);
}

function routeFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name === 'route.ts')
    .map((entry) => relative('app', join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

/** Routes that are no resource of the API: the answer to unknown paths, and next-auth's own pages and calls. */
const NOT_DESCRIBED = new Set([
  'v1/[[...path]]/route.ts',
  '.well-known/[...path]/route.ts',
  'api/[...path]/route.ts',
  'auth/[...path]/route.ts',
  'api/auth/[...nextauth]/route.ts',
  'oauth/token/keys-worker/route.ts',
  'oauth/client-metadata/route.ts',
]);

function pathOf(file: string): string {
  const segments = file
    .split('/')
    .slice(0, -1)
    .filter((segment) => !/^\(.*\)$/.test(segment));
  return `/${segments.map((segment) => segment.replace(/^\[{1,2}(?:\.\.\.)?(\w+)\]{1,2}$/, '{$1}')).join('/')}`;
}

describe('every route is in the document', () => {
  const files = routeFiles('app').filter((file) => !NOT_DESCRIBED.has(file));
  const implemented = CONTRACTS.filter(({ servedBy }) => servedBy === undefined);

  it.each(files)('%s', (file) => {
    expect(Object.keys(document.paths)).toContain(pathOf(file));
  });

  it('and every path of the document is a route file, an operation, or answered by the lab or the decision API', () => {
    const elsewhere = CONTRACTS.filter(({ servedBy }) => servedBy === 'lab' || servedBy === 'decision-api');
    const mounted = [...OPERATIONS, ...elsewhere].map(({ path }) => path);
    expect([...new Set([...files.map(pathOf), ...mounted])].sort()).toEqual(Object.keys(document.paths).sort());
  });

  it.each([...new Set(implemented.map(({ path }) => path))])('with the methods of its contracts: %s', async (path) => {
    const contracts = implemented.filter((contract) => contract.path === path);
    const unavailable = async () => Promise.reject(new Error('An OPTIONS request needs no services.'));
    const answer = mountApi(unavailable, () => false);
    const response = await answer(new Request(`http://sluice.test${path}`, { method: 'OPTIONS' }));
    const methods = (response.headers.get('Allow') ?? '').split(', ').filter((method) => !/HEAD|OPTIONS/.test(method));
    expect(methods.sort()).toEqual(contracts.map(({ method }) => method).sort());
  });

  it('and every contract has one implementation', () => {
    expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(implemented.map(({ id }) => id).sort());
    for (const operation of OPERATIONS) {
      const { run: _, ...contract } = operation;
      expect(CONTRACTS.find(({ id }) => id === operation.id)).toEqual(contract);
    }
  });

  it('and every implementation is exported under the id of its contract', async () => {
    const sources = readdirSync('lib/admin', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join('lib/admin', path));
    for (const file of [...sources, 'lib/api/operations.ts', 'lib/openapi/read-openapi.ts']) {
      const module: Any = await import(join(process.cwd(), file));
      for (const [name, exported] of Object.entries<Any>(module)) {
        if (typeof exported?.run === 'function') expect(exported.id).toBe(name);
      }
    }
  });
});

describe('the document is OpenAPI 3.1', () => {
  it('in its outer form', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Sluice', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(new Set(Object.keys(document))).toEqual(
      new Set([
        'openapi',
        'jsonSchemaDialect',
        'info',
        'servers',
        'tags',
        'x-tagGroups',
        'security',
        'paths',
        'components',
      ]),
    );
    expect(document.tags.map((tag: Any) => tag.name).sort()).toEqual(
      [...new Set(described.map(([, , operation]) => operation.tags[0]))].sort(),
    );
  });

  it('with unique operation ids, responses and security', () => {
    const ids = described.map(([, , operation]) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(CONTRACTS.length);
    for (const [method, path, operation] of described) {
      const at = `${method} ${path}`;
      expect(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], at).toContain(method);
      expect(operation.summary, at).toMatch(/\S/);
      expect(
        Object.keys(operation.responses).some((status) => status.startsWith('2')),
        at,
      ).toBe(true);
      for (const [status, response] of Object.entries<Any>(operation.responses)) {
        expect(status, at).toMatch(/^[1-5]\d\d$/);
        expect(response.description, at).toMatch(/\S/);
        if (status === '204') expect(response.content, at).toBeUndefined();
        for (const media of Object.values<Any>(response.content ?? {})) expect(media.schema, at).toBeTypeOf('object');
      }
      for (const requirement of operation.security) {
        for (const name of Object.keys(requirement))
          expect(document.components.securitySchemes, at).toHaveProperty([name]);
      }
      if (method === 'GET') expect(operation.requestBody, at).toBeUndefined();
    }
  });

  it('with every path parameter declared, and no parameter twice', () => {
    for (const [method, path, operation] of described) {
      const at = `${method} ${path}`;
      const parameters: Any[] = (operation.parameters ?? []).map((entry: Any) =>
        entry.$ref ? resolve(entry.$ref) : entry,
      );
      const inPath = parameters.filter((entry) => entry.in === 'path');
      expect(inPath.map((entry) => entry.name).sort(), at).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort(),
      );
      for (const entry of inPath) expect(entry.required, at).toBe(true);
      for (const entry of parameters) expect(entry.schema, `${at} ${entry.name}`).toBeTypeOf('object');
      const keys = parameters.map((entry) => `${entry.in} ${entry.name}`);
      expect(new Set(keys).size, at).toBe(keys.length);
    }
  });

  it('with references that lead somewhere, and no component that nothing refers to', () => {
    const seen = new Set<string>();
    walk(document, (node, at) => {
      if (typeof node.$ref !== 'string') return;
      seen.add(node.$ref);
      expect(node.$ref, at).toMatch(/^#\/components\//);
      expect(resolve(node.$ref), `${at} -> ${node.$ref}`).toBeDefined();
    });
    for (const kind of ['schemas', 'headers', 'parameters']) {
      for (const name of Object.keys(document.components[kind])) {
        expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
        if (kind !== 'headers' || name !== 'Allow') expect([...seen], name).toContain(`#/components/${kind}/${name}`);
      }
    }
  });

  it('with schemas of JSON Schema 2020-12', () => {
    const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
    const schemas: [Any, string][] = Object.entries(document.components.schemas).map(([name, schema]) => [
      schema,
      name,
    ]);
    walk(document.paths, (node, at) => {
      if ('schema' in node) schemas.push([node.schema, at]);
    });
    for (const [schema, at] of schemas) check(schema, at);

    function check(schema: Any, at: string): void {
      if (typeof schema === 'boolean') return;
      expect(schema, at).toBeTypeOf('object');
      if (schema.type !== undefined) for (const type of [schema.type].flat()) expect(TYPES, at).toContain(type);
      if (schema.enum !== undefined) expect(schema.enum.length, at).toBeGreaterThan(0);
      if (schema.pattern !== undefined) expect(() => new RegExp(schema.pattern, 'u'), at).not.toThrow();
      if (schema.required !== undefined && schema.properties !== undefined) {
        for (const name of schema.required) expect(Object.keys(schema.properties), at).toContain(name);
      }
      expect(schema, at).not.toHaveProperty('$defs');
      expect(schema, at).not.toHaveProperty('nullable');
      for (const [name, property] of Object.entries(schema.properties ?? {})) check(property, `${at}.${name}`);
      for (const key of ['items', 'additionalProperties', 'propertyNames', 'not'])
        if (schema[key] !== undefined) check(schema[key], `${at}.${key}`);
      for (const key of ['anyOf', 'oneOf', 'allOf']) for (const part of schema[key] ?? []) check(part, `${at}.${key}`);
    }
  });
});

describe('examples', () => {
  it.each(CONTRACTS.map((contract) => [contract.id, contract] as const))(
    'of %s are what its schemas accept',
    (_, operation) => {
      const { example } = operation;
      if (operation.body?.required === true) expect(example?.body).toBeDefined();
      if (operation.params !== undefined) expect(operation.params.safeParse(example?.params).error).toBeUndefined();
      if (operation.query !== undefined && example?.query !== undefined)
        expect(operation.query.safeParse(example.query).error).toBeUndefined();
      if (operation.body !== undefined && example?.body !== undefined)
        expect(operation.body.schema.safeParse(example.body).error).toBeUndefined();
    },
  );

  it('are there for curl, TypeScript and Python', () => {
    const { 'x-codeSamples': samples } = document.paths['/v1/admin/rate-limit/allowlist'].post;
    expect(samples.map((sample: Any) => sample.label)).toEqual(['curl', 'TypeScript', 'Python']);
    expect(samples[0].source).toBe(
      [
        'curl -X POST "$SLUICE/v1/admin/rate-limit/allowlist" \\',
        '  -H "Authorization: Bearer $SLUICE_TOKEN" \\',
        '  -H "Idempotency-Key: $IDEMPOTENCY_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{"type":"ip","identifier":"203.0.113.7","reason":"Office network","expires_at":null}'`,
      ].join('\n'),
    );
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template that is looked for
    expect(samples[1].source).toContain('await fetch(`${process.env.SLUICE}/v1/admin/rate-limit/allowlist`, {');
  });
});

describe('the statuses of an operation', () => {
  const statusesOf = (id: string) =>
    Object.keys(described.find(([, , operation]) => operation.operationId === id)?.[2].responses);

  it('follow from its machinery', () => {
    for (const operation of CONTRACTS) {
      const statuses = statusesOf(operation.id);
      expect(statuses.includes('412'), operation.id).toBe(operation.conditional === true);
      expect(statuses.includes('413'), operation.id).toBe(operation.body !== undefined || operation.method !== 'GET');
      if (operation.servedBy === undefined)
        expect(statuses, operation.id).toEqual(expect.arrayContaining(['400', '503']));
      expect(statuses, operation.id).toContain('500');
    }
  });

  table('are those of %s', statusesOf, [
    ['getPolicies', ['200', '400', '401', '403', '429', '500', '503']],
    ['readMetrics', ['200', '400', '401', '403', '429', '500', '503']],
    ['readOwnUsage', ['200', '400', '401', '500', '503']],
    ['readOpenApi', ['200', '304', '400', '500', '503']],
    ['authorize', ['200', '303', '400', '401', '404', '429', '500', '503']],
    ['publishKeys', ['200', '400', '401', '404', '429', '500', '503']],
    ['updateApiKey', ['200', '400', '401', '403', '404', '409', '412', '413', '415', '429', '500', '503']],
    ['checkBatch', ['200', '400', '401', '403', '413', '415', '429', '500', '503']],
  ]);

  it('have the media types that are sent', () => {
    const { responses } = document.paths['/auth/authorize'].get;
    expect(Object.keys(responses['400'].content).sort()).toEqual([
      'application/json',
      'application/problem+json',
      'text/html',
    ]);
    expect(responses['400'].content['application/json'].schema.anyOf).toHaveLength(2);
    expect(document.paths['/v1/check/batch'].post.responses['413'].description).toContain('1 MiB');
  });
});

it('every strict body says that it knows no further members', () => {
  const body = document.paths['/v1/admin/rate-limit/allowlist'].post.requestBody;
  expect(body.required).toBe(true);
  expect(resolve(body.content['application/json'].schema.$ref)).toMatchObject({
    type: 'object',
    additionalProperties: false,
  });
});

it('is served to everybody, and not sent twice', async () => {
  const handlers = createEndpoint(
    () => Promise.resolve({ config: parseConfig({}), clock: () => 0 } as Any),
    [readOpenApi],
    addEffects,
  );
  const get = (headers: Record<string, string> = {}) =>
    handlers.GET(new Request('http://sluice.test/v1/openapi.json', { headers }), { params: Promise.resolve({}) });
  const first = await get();
  expect(first.status).toBe(200);
  expect(await first.json()).toEqual(document);
  const tag = first.headers.get('etag') ?? '';
  expect((await get({ 'If-None-Match': tag })).status).toBe(304);
  expect((await get({ 'If-None-Match': `"other", W/${tag}` })).status).toBe(304);
  expect((await get({ 'If-None-Match': '"other"' })).status).toBe(200);
});

function resolve(reference: string): Any {
  return reference
    .slice(2)
    .split('/')
    .reduce((node: Any, key) => node?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
