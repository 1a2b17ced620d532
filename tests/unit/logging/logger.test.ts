import { describe, expect, it } from 'vitest';
import { listSecrets } from '@/lib/config/secrets';
import { LineGate } from '@/lib/logging/line-gate';
import { makeLogger } from '@/lib/logging/logger';
import { serializeError } from '@/lib/logging/redact';
import { RequestLog } from '@/lib/logging/request-log';

function listen(level: 'info' | 'trace' = 'info') {
  const lines: string[] = [];
  const logger = makeLogger({ level, destination: { write: (line: string) => void lines.push(line) } });
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

describe('a token in a path', () => {
  const token = `slt_${'a1B2c3D4'.repeat(5)}xyz`;
  it.each([
    `/v1/admin/${token}`,
    `/v1/admin/%73lt_${token.slice(4)}`,
    `/v1/admin/${[...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')}`,
    `/${'long/'.repeat(202)}${token}`,
  ])('%s', (path) => {
    const { logger, lines } = listen();
    const request = { requestId: 'r-12345678', method: 'GET', path, status: 404, duration: 1, address: null };
    new RequestLog({ logger, lines: new LineGate() }).log(request, false);
    logger.warn({ path }, `refused ${path}`);
    expect(lines.join('')).not.toContain('B2c3D4a1B2');
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('status', 404);
    expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual([
      'level',
      'time',
      'requestId',
      'method',
      'status',
      'address',
      'path',
      'duration',
      'message',
    ]);
  });

  it('that is the one of the configuration, whatever it looks like', () => {
    const lines: string[] = [];
    const SLUICE_ADMIN_TOKEN = 'plain words / as a token & more';
    const REDIS_URL = 'redis://:p%40ss%2Fword-0123@127.0.0.1:6379';
    const logger = makeLogger({
      level: 'info',
      secrets: listSecrets({ SLUICE_ADMIN_TOKEN, REDIS_URL }),
      destination: { write: (line: string) => void lines.push(line) },
    });
    const texts = ['p@ss/word-0123', SLUICE_ADMIN_TOKEN].flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ secret }).toString(),
      Buffer.from(`x:${secret}`).toString('base64'),
      JSON.stringify(secret),
    ]);
    for (const text of texts) {
      logger.info({ path: `/a/${text}`, deep: [{ text }], err: new Error(text, { cause: new Error(text) }) }, text);
      logger.child({ text }).info('x');
    }
    expect(lines.filter((line) => /as.{1,3}a.{1,3}token|ss.{1,3}word|YXMgYSB0b2tlb|word-0123/.test(line))).toEqual([]);
  });
});

it('the code of an error stays, an authorization code does not', () => {
  const { logger, lines, last } = listen();
  logger.warn({ code: 'ECONNREFUSED', reason: 'down' }, 'next-auth');
  expect(last()).toMatchObject({ code: 'ECONNREFUSED' });
  const error = Object.assign(new Error('x'), { code: 'SQLITE_BUSY', config: { password: PLANTED } });
  logger.warn({ inner: { error }, plain: { code: 'SQLITE_IOERR_WRITE', errno: -111 }, number: { code: 14 } }, 'x');
  expect(last()).toMatchObject({
    inner: { error: { code: 'SQLITE_BUSY' } },
    plain: { code: 'SQLITE_IOERR_WRITE' },
    number: { code: 14 },
  });
  logger.info({ code: 'OAUTH_CALLBACK_ERROR' }, 'x');
  expect(last()).toMatchObject({ code: 'OAUTH_CALLBACK_ERROR' });
  for (const secret of [
    { code: `x${PLANTED}` },
    { query: { code: 'ABC_DEF' } },
    { body: { inner: { code: 'EABCDEF' } } },
    { code: 'ABC_DEF', redirect_uri: 'https://app.example.com/' },
    { code: 'ABC_DEF', grantType: 'authorization_code' },
    { message: 'GET /callback?state=1&code=ABC_DEF failed' },
    { message: 'code=ABC_DEF&grant_type=authorization_code' },
  ]) {
    logger.info(secret, 'x');
    expect(last()).not.toHaveProperty('code', 'ABC_DEF');
    expect(lines.at(-1)).not.toMatch(/ABC_DEF|EABCDEF/);
  }
  expect(lines.join('')).not.toContain(PLANTED);
});

it('credentials of an address and of a form in a text are taken out', () => {
  const { logger, lines } = listen();
  logger.error({ err: new Error('connect https://user:hunter22@db.example:443/x?authToken=y') }, 'redis://:hunter22@h');
  logger.error('client_secret=hunter22&client_id=app');
  expect(lines.join('')).not.toContain('hunter22');
  expect(lines.join('')).toContain('db.example:443/x');
  expect(lines.join('')).toContain('client_id=app');
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
