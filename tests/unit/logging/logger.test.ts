import { describe, expect, it } from 'vitest';
import { logRequest } from '@/lib/logging/log-request';
import { makeLogger } from '@/lib/logging/logger';
import { serializeError } from '@/lib/logging/serialize-error';

function listen(level: 'info' | 'trace' = 'info') {
  const lines: string[] = [];
  const logger = makeLogger({ SLUICE_LOG_LEVEL: level }, { write: (line: string) => void lines.push(line) });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') };
}

const PLANTED = 'sl_planted-secret-0123456789';

describe('no secret reaches the log', () => {
  const cases: [string, unknown][] = [
    ['authorization', { headers: { authorization: `Bearer ${PLANTED}` } }],
    ['cookie in any case', { request: { Cookie: `a=${PLANTED}` } }],
    ['x-api-key', { headers: { 'x-api-key': PLANTED } }],
    ['X-Admin-Token', { 'X-Admin-Token': PLANTED }],
    ['client_secret', { body: { client_secret: PLANTED } }],
    ['password, deep down', { a: { b: { c: [{ password: PLANTED }] } } }],
    ['set-cookie', { 'set-cookie': [PLANTED] }],
    ['Headers', { headers: new Headers({ authorization: `Basic ${PLANTED}` }) }],
    ['a credential in a text', { note: `sent Authorization: Bearer ${PLANTED}` }],
    ['secretHash', { row: { secretHash: PLANTED, previousSecretHash: PLANTED } }],
    ['code_verifier and code', { code_verifier: PLANTED, code: PLANTED }],
    ['parameters of a query', { err: new Error(`Failed query: insert into x values (?)\nparams: ${PLANTED}`) }],
    [
      'parameters in a cause',
      { err: new Error('outer', { cause: new Error(`Failed query: select\nparams: ${PLANTED},1`) }) },
    ],
  ];
  it.each(cases)('%s', (_, object) => {
    const { logger, lines } = listen();
    logger.info(object, 'something happened');
    logger.child(object as object).warn('and again');
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain(PLANTED);
    expect(lines.join('')).toContain('something happened');
  });

  it('not even in the message', () => {
    const { logger, lines } = listen();
    logger.error(`refused Bearer ${PLANTED}`);
    expect(lines.join('')).not.toContain(PLANTED);
  });
});

it('what is no secret stays', () => {
  const { logger, last } = listen();
  logger.info(
    { requestId: 'r-12345678', path: '/api/data', status: 200, tokens: 3, error: 'quota_exceeded' },
    'request',
  );
  expect(last()).toMatchObject({
    level: 'info',
    requestId: 'r-12345678',
    path: '/api/data',
    status: 200,
    tokens: 3,
    error: 'quota_exceeded',
    message: 'request',
  });
  expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

it('no text starts a line of its own', () => {
  const { logger, lines } = listen();
  logger.info({ path: '/a\r\n{"level":"fatal"}\u2028x', '\nname': 'x' }, 'one\r\ntwo');
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/);
});

it('an error keeps its type, code, stack and causes', () => {
  const { logger, last } = listen();
  const cause = Object.assign(new TypeError('disk'), { code: 'SQLITE_FULL' });
  logger.error({ err: new Error('outer', { cause }) }, 'failed');
  expect(last().err).toMatchObject({
    type: 'Error',
    message: 'outer',
    cause: { type: 'TypeError', code: 'SQLITE_FULL', message: 'disk' },
  });
  expect(last().err.stack).toMatch(/^\s+at /);
});

it('one line a request, an error for our own faults only', () => {
  const { logger, lines } = listen();
  const request = {
    requestId: 'r-12345678',
    method: 'GET',
    path: '/api/data',
    duration: 1.23456,
    address: '203.0.113.7',
  };
  for (const status of [200, 429, 503, 500]) logRequest(logger, { ...request, status });
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'info', 'info', 'error']);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ duration: 1.23, status: 200, path: '/api/data' });
});

describe('the message of an error', () => {
  it('ends before the parameters of a query', () => {
    const error = new Error('Failed query: select 1 \n\tparams: secret\nparams: another');
    expect(serializeError(error)).toMatchObject({ message: 'Failed query: select 1' });
    expect(serializeError(new Error('no params here'))).toMatchObject({ message: 'no params here' });
  });

  it('is searched once, however much white space is in it', () => {
    // Looking again from each space would take hours.
    const message = `a${' '.repeat(2 ** 20)}b`;
    expect(serializeError(new Error(message))).toMatchObject({ message });
  });
});
