import { describe, expect, it } from 'vitest';
import { listOperations, openApiModel, searchIndex } from '@/components/docs/openapi-model';
import { buildAddressToTry, buildRequestToTry, type TriableRequest } from '@/components/docs/request-to-try';
import { searchOperations } from '@/components/docs/search-operations';
import { CONTRACTS } from '@/lib/contract/contracts';
import { SECTIONS } from '@/lib/openapi/sections';

const model = openApiModel();
const found = (text: string) =>
  searchOperations(searchIndex(model), text).map(({ method, path }) => `${method} ${path}`);

describe('the search of the reference', () => {
  it('finds operations by words of path and summary, in any order', () => {
    expect(found('rotate secret key')).toEqual(['POST /v1/admin/api-keys/{id}/rotate']);
    expect(found('KEYS delete')).toContain('DELETE /v1/admin/api-keys/{id}');
    expect(found('   ')).toEqual([]);
    expect(found('no such word')).toEqual([]);
  });

  it('finds operations by the names of fields, after those that say it themselves', () => {
    expect(found('last_used_at')).toContain('GET /v1/admin/api-keys');
    expect(found('explain')[0]).toBe('POST /v1/admin/rate-limit/explain');
  });
});

describe('the sections of the reference', () => {
  it('give every tag a place', () => {
    const placed = new Set(SECTIONS.flatMap(({ tags }) => tags));
    expect([...new Set(CONTRACTS.map(({ tag }) => tag))].filter((tag) => !placed.has(tag))).toEqual([]);
    expect(model['x-tagGroups'][0]).toEqual({ name: 'Deciding', tags: ['Decisions'] });
  });
});

describe('trying an operation', () => {
  const request = (tag: string, id: string): TriableRequest | null => {
    const operation = listOperations(model, tag).find(({ operationId }) => operationId === id);
    if (!operation) throw new Error(`There is no ${id}.`);
    return buildRequestToTry(operation, model.components);
  };

  it('fills in path and query, and leaves out what is empty', () => {
    const list = request('API keys', 'listApiKeys');
    expect(list && buildAddressToTry(list, { q: 'a b', limit: '', sort: 'name' })).toBe(
      '/v1/admin/api-keys?q=a+b&sort=name',
    );
    const read = request('API keys', 'getApiKey');
    expect(read && buildAddressToTry(read, { id: '../x' })).toBe('/v1/admin/api-keys/..%2Fx');
  });

  it('begins with the example as its body', () => {
    expect(JSON.parse(request('Decisions', 'check')?.body ?? '')).toMatchObject({ class: 'read' });
    expect(request('API keys', 'listApiKeys')?.body).toBeNull();
  });

  it('is not offered where a session is not enough', () => {
    expect(request('Quotas', 'readOwnUsage')).toBeNull();
    expect(request('Operations', 'runHousekeeping')).toBeNull();
  });
});
