import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startAssessment } from '@/lib/contract/assessments';
import { createLimit } from '@/lib/contract/named-limits';
import { ApiError } from '@/lib/http/api-error';
import { parseInput } from '@/lib/http/input';

const schema = startAssessment.body?.schema;

/** What is said of a target that is refused: path and message of each detail. */
function faultsOf(target: unknown): string[] {
  if (schema === undefined) throw new Error('The operation has a body.');
  try {
    parseInput(schema, { target }, 'body');
  } catch (error) {
    if (error instanceof ApiError) return (error.details ?? []).map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

describe('a union of objects', () => {
  const server = { issuer: 'https://login.example.com' };
  const client = { client_id: 'a', redirect_uri: 'https://a.example/' };

  test.each([
    [{ lab: { off: ['nonsense'] } }, /^target\.lab\.off\.0 must be one of /],
    [{ server: { ...server, login: 'window' } }, 'target.server.login must be one of browser, cookie, none'],
    [{ server: { ...server, isuer: 1 } }, 'target.server has a member that is not known'],
    [{ server: 5 }, 'target.server must be an object'],
    [
      { server: { ...server, client: { ...client, authentication: 'private_key_jwt', key: { kty: 'EC' } } } },
      'target.server.client.key.d is required',
    ],
  ])('of which one is meant names its fields: %j', (target, said) => {
    expect(faultsOf(target)).toEqual([typeof said === 'string' ? said : expect.stringMatching(said)]);
  });

  test.each([[{}], [{ lab: {}, server }], [{ lap: {} }], [null], ['lab']])('of which none is meant: %j', (target) => {
    expect(faultsOf(target)).toEqual(['target must have either lab or server']);
  });
});

test.each([0.5, 'month ', 'day', null, true, [], {}])('a union of values names all of them: %j', (seconds) => {
  const body = { name: 'sms', windows: [{ limit: 1, seconds }] };
  expect(() => parseInput(createLimit.body?.schema ?? z.never(), body, 'body')).toThrow(
    'windows.0.seconds must be a whole number from 1 to 7776000, or "month".',
  );
});

test('an id is called what it is', () => {
  expect(() => parseInput(z.object({ id: z.uuid() }), { id: 'x' }, 'path')).toThrow('id must be a UUID');
});
