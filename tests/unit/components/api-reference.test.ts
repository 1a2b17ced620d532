import { describe, expect, it } from 'vitest';
import { listOperations, OpenApiModel } from '@/components/docs/openapi-model';
import { describeType } from '@/components/docs/schema-fields';
import { buildSectionSlug } from '@/components/docs/section-slug';
import { table } from '../../fixtures/table';

const model = OpenApiModel.parse({
  info: { title: 'Sluice', version: '1' },
  tags: [{ name: 'API keys' }],
  paths: {
    '/v1/admin/api-keys': {
      post: { operationId: 'createApiKey', tags: ['API keys'], summary: 'Create', responses: {} },
      get: { operationId: 'listApiKeys', tags: ['API keys'], summary: 'List', responses: {} },
      parameters: [],
    },
    '/v1/check': { post: { operationId: 'check', tags: ['Decisions'], summary: 'Check', responses: {} } },
  },
  components: { schemas: { Tier: { enum: ['free', 'starter'] }, Limit: { type: 'object', properties: {} } } },
});

describe('the API reference', () => {
  it('shows the operations of a tag, by path and then in the order of the methods', () => {
    expect(listOperations(model, 'API keys').map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/admin/api-keys',
      'POST /v1/admin/api-keys',
    ]);
    expect(listOperations(model, 'nothing')).toEqual([]);
  });

  table('has a section %s at /docs/%s', buildSectionSlug, [
    ['API keys', 'api-keys'],
    ['OAuth lab', 'oauth-lab'],
    ['Rate limits & quotas', 'rate-limits-quotas'],
  ]);

  table(
    'writes the type %o as %s',
    (node: Parameters<typeof describeType>[1]) => describeType(model.components.schemas, node),
    [
      [{ type: 'string' }, 'string'],
      [{ type: 'string', format: 'uuid' }, 'string, uuid'],
      [{ type: ['string', 'null'] }, 'string | null'],
      [{ enum: ['free', 2, null] }, '"free" | 2 | null'],
      [{ const: true }, 'true'],
      [{ type: 'array', items: { $ref: '#/components/schemas/Limit' } }, 'array of Limit'],
      [{ prefixItems: [{ type: 'string' }, { type: 'integer' }] }, '[string, integer]'],
      [{ $ref: '#/components/schemas/Tier' }, '"free" | "starter"'],
      [{ $ref: '#/components/schemas/Limit' }, 'Limit'],
      [{ anyOf: [{ $ref: '#/components/schemas/Limit' }, { type: 'null' }] }, 'Limit | null'],
      [{}, 'any'],
    ],
  );
});
