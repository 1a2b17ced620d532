import { expect, test } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import { buildManifest } from '@/lib/openapi/manifest';

const manifest = buildManifest(CONTRACTS, '1.2.3');
const operation = (command: string) => {
  const found = manifest.operations.find((candidate) => candidate.command === command);
  if (found === undefined) throw new Error(`no ${command}`);
  return found;
};

test('it has every operation with a command, and no other', () => {
  expect(manifest.version).toBe('1.2.3');
  expect(manifest.operations.map(({ id }) => id)).toEqual(
    CONTRACTS.filter(({ command }) => command !== undefined).map(({ id }) => id),
  );
});

test('it is plain JSON without references', () => {
  const text = JSON.stringify(manifest);
  expect(JSON.parse(text)).toEqual(manifest);
  expect(text).not.toContain('$ref');
});

test('it says all that is needed for a change', () => {
  const add = operation('allowlist add');
  expect(add).toMatchObject({
    id: 'addAllowlistEntry',
    method: 'POST',
    path: '/v1/admin/rate-limit/allowlist',
    tag: 'Allowlist',
    access: 'operator',
    reason: 'body',
    bodyOptional: false,
    mediaType: 'application/json',
    answers: ['application/json'],
    list: false,
    idempotent: true,
    conditional: false,
  });
  expect(add.body).toMatchObject({
    type: 'object',
    additionalProperties: false,
    required: ['type', 'identifier', 'reason'],
    properties: { type: { type: 'string', enum: ['ip', 'user_id'] }, expires_at: { anyOf: expect.any(Array) } },
  });
});

test('it says what a list can be asked, and that it has pages', () => {
  const list = operation('keys list');
  expect(list).toMatchObject({ method: 'GET', list: true });
  expect(list.query?.properties).toMatchObject({ cursor: { type: 'string' }, tier: { type: 'string' } });
  expect(list.body).toBeUndefined();
});

test('it has the parameters of the path', () => {
  expect(operation('audit undo')).toMatchObject({
    path: '/v1/admin/audit/{seq}/undo',
    params: { properties: { seq: { type: 'integer' } }, required: ['seq'] },
    query: { properties: { reason: { type: 'string' } } },
    reason: 'query',
  });
});

test('a patch is sent as a merge patch, an operation without an answer has no media type', () => {
  expect(operation('policies set')).toMatchObject({ mediaType: 'application/merge-patch+json', conditional: true });
  expect(operation('allowlist remove').answers).toEqual([]);
  expect(operation('quota reset').bodyOptional).toBe(true);
});
