import { describe, expect, test, vi } from 'vitest';
import { beginCall, CALL_OPTIONS, prepareCall } from '@/client/operation-call';
import { Sluice } from '@/client/sluice';
import { CONTRACTS } from '@/lib/contract/contracts';
import { clientTypes } from '@/lib/openapi/client-types';
import { buildManifest } from '@/lib/openapi/manifest';
import { commandNames, operationTable, WRITTEN_BY_HAND } from '@/lib/openapi/operation-table';

const { operations } = buildManifest(CONTRACTS, '1.0.0');
const table = operationTable(CONTRACTS);

describe('every operation', () => {
  const names = new Map(
    commandNames(table)
      .split(',')
      .map((words) => words.split(' '))
      .map(([noun = '', ...verbs]) => [noun, verbs]),
  );
  const types = clientTypes(CONTRACTS).operations;

  test.each(operations.filter(({ command }) => !WRITTEN_BY_HAND.includes(command)))(
    '$command is a method of the client',
    (operation) => {
      const { command, method, path, body, summary } = operation;
      expect(table[command]).toEqual([method, path, body === undefined ? 0 : 1]);
      const [noun = '', verb] = command.split(' ');
      expect(names.get(noun)).toEqual(verb === undefined ? [] : expect.arrayContaining([verb]));
      expect(types).toContain(`/** ${summary}.`);
      expect(types).toContain(`\`${method} ${path}\` */`);
    },
  );

  test('that is written by hand is a method, too', () => {
    for (const name of WRITTEN_BY_HAND) {
      expect(operations.map(({ command }) => command)).toContain(name);
      expect(Sluice.prototype).toHaveProperty(name, expect.any(Function));
    }
  });

  test('has no parameter with the name of an option', () => {
    const parameters = operations.flatMap(({ query }) => Object.keys(query?.properties ?? {}));
    expect(parameters.filter((name) => CALL_OPTIONS.includes(name))).toEqual([]);
  });

  test('has parameters in its path in the order of the path', () => {
    for (const { path, params } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(params?.properties ?? {}).toSorted()).toEqual(inPath.toSorted());
    }
  });
});

describe('the arguments of a call', () => {
  test('are the parameters of the path, the body, and the query with the options', () => {
    const signal = AbortSignal.abort();
    expect(
      prepareCall(['PATCH', '/v1/keys/{id}', 1], ['a/b', { name: 'x' }, { reason: 'y', ifMatch: '"1"', signal }]),
    ).toEqual({
      method: 'PATCH',
      path: '/v1/keys/a%2Fb',
      body: { name: 'x' },
      query: { reason: 'y' },
      options: { ifMatch: '"1"', signal },
    });
  });

  test('leave out a body that there is none of', () => {
    expect(prepareCall(['GET', '/v1/keys', 0], [{ limit: 5 }])).toMatchObject({ query: { limit: 5 }, body: undefined });
    expect(prepareCall(['POST', '/v1/keys/{id}/rotate', 1], ['1'])).toMatchObject({ query: {}, body: undefined });
  });

  test('name no other path', () => {
    for (const id of ['', '.', '..', undefined, null, {}]) {
      expect(() => prepareCall(['GET', '/v1/keys/{id}', 0], [id])).toThrow('{id} must be given');
    }
  });
});

describe('an answer that is a page', () => {
  const call = (type: string | undefined, query: object = {}) => {
    vi.stubGlobal('SLUICE_OPERATIONS', '{"things list":["GET","/v1/things",0]}');
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const answer = async () => new Response(new TextEncoder().encode('<html>'), { headers });
    const transport = { url: 'http://sluice.test', token: 'token', fetch: answer as typeof fetch };
    return beginCall(transport, 'things list', [query]).answer();
  };

  test.each(['text/html', 'Text/HTML; charset=utf-8', undefined])('is that of something else: %s', async (type) => {
    await expect(call(type)).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  test('is what was asked for', async () => {
    expect(await call('text/html', { format: 'html' })).toMatchObject({ value: '<html>' });
    expect(await call('text/plain')).toMatchObject({ value: '<html>' });
  });
});
