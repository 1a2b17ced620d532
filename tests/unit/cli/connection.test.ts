import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '@/cli/connection';
import type { ManifestOperation } from '@/lib/openapi/manifest';
import { close } from '../../fixtures/listen';

type Step = (request: IncomingMessage, response: ServerResponse) => void;

/** How the server answers, one step a request; the last one stays. */
let steps: Step[];
let seen: IncomingMessage[];
let connection: Connection;
let retries: number;
const server = createServer((request, response) => {
  seen.push(request);
  const step = steps.length > 1 ? steps.shift() : steps[0];
  step?.(request, response);
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const cut: Step = (request) => request.socket.destroy();
const away = (headers = {}) => json(503, { error: 'service_unavailable', error_description: 'Away.' }, headers);
const done = json(200, { ok: true }, { 'x-audit-seq': '7' });

const operation = (of: Partial<ManifestOperation>): ManifestOperation => ({
  ...{ command: 'things add', id: 'addThing', method: 'POST', path: '/v1/things/{id}', summary: '', tag: '' },
  ...{ access: 'operator', bodyOptional: false, answers: ['application/json'], list: false },
  ...{ dryRun: false, idempotent: true, conditional: false },
  ...of,
});

/** How long was waited before each retry, in ms. */
let waits: number[];
const connect = (timeoutMs = 20_000) =>
  new Connection({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: () => ({ authorization: 'Bearer secret' }),
    timeoutMs,
    userAgent: 'sluice/test',
    now: () => Date.UTC(2026, 10, 20, 12),
    onRetry: (_, wait) => {
      retries += 1;
      waits.push(wait);
    },
  });

beforeEach(async () => {
  seen = [];
  retries = 0;
  waits = [];
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  connection = connect();
});
afterEach(() => close(server));

test('a call has its path, query, body and credential', async () => {
  steps = [done];
  const call = { params: { id: 'a/b' }, query: { reason: 'why not', none: undefined }, body: { a: 1 } };
  const answer = await connection.request(operation({}), call);
  expect(answer).toMatchObject({ status: 200, body: { ok: true }, text: '{"ok":true}', auditSeq: '7' });
  expect(seen[0]?.url).toBe('/v1/things/a%2Fb?reason=why+not');
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'content-type': 'application/json' });
});

describe('what failed on the way is sent again', () => {
  test.each([
    ['the connection ends', cut],
    ['the server is away', away()],
    ['a gateway has no server', json(502, 'no')],
  ])('when %s', async (_, step) => {
    steps = [step, step, done];
    expect((await connection.request(operation({}))).body).toEqual({ ok: true });
    expect(seen).toHaveLength(3);
    expect(retries).toBe(2);
  });

  test('with the same idempotency key, and another one for the next call', async () => {
    steps = [cut, done];
    await connection.request(operation({}));
    await connection.request(operation({}));
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test('but not a POST that nobody would recognise', async () => {
    steps = [cut, done];
    await expect(connection.request(operation({ idempotent: false }))).rejects.toMatchObject({ exitCode: 3 });
    expect(seen).toHaveLength(1);
  });

  test('nor a change by another method that has no key', async () => {
    steps = [cut, done];
    await expect(connection.request(operation({ idempotent: false, method: 'PUT' }))).rejects.toMatchObject({
      exitCode: 3,
    });
    expect(seen).toHaveLength(1);
  });

  test('and not for ever', async () => {
    steps = [cut];
    await expect(connection.request(operation({}))).rejects.toMatchObject({ exitCode: 3, code: 'unreachable' });
    expect(seen).toHaveLength(4);
  });
});

describe('a change whose answer was lost may have been made', () => {
  const gone = json(404, { error: 'not_found', error_description: 'Nothing matches.' });
  const doubt = (exitCode: number) => ({
    exitCode,
    message: expect.stringContaining('the change may have been made'),
    more: { mayBeDone: true },
  });

  test.each([
    ['the connection', cut],
    ['a gateway', json(504, 'no')],
  ])('by %s, and what is refused then says so', async (_, step) => {
    steps = [step, gone];
    await expect(connection.request(operation({}))).rejects.toMatchObject(doubt(1));
  });

  test('and so does what is not sent again', async () => {
    steps = [cut];
    const change = operation({ idempotent: false, reason: 'query' });
    await expect(connection.request(change)).rejects.toMatchObject(doubt(3));
  });

  test.each<[string, Step[], Partial<ManifestOperation>]>([
    ['of the server itself', [away(), gone], {}],
    ['to a question', [cut, gone], { method: 'GET', idempotent: false }],
  ])('but not by an answer %s', async (_, answers, of) => {
    steps = answers;
    await expect(connection.request(operation(of))).rejects.toMatchObject({ message: 'Nothing matches.' });
  });

  test('and a preview makes none', async () => {
    steps = [cut, gone];
    const preview = connection.request(operation({}), { query: { dry_run: 'true' } });
    await expect(preview).rejects.toMatchObject({ message: 'Nothing matches.' });
  });
});

describe('Retry-After', () => {
  test('is waited for', async () => {
    steps = [away({ 'retry-after': '1' }), done];
    const begun = performance.now();
    await connection.request(operation({ method: 'GET', idempotent: false }));
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
  });

  test.each([
    ['by the clock of the server', 'Fri, 20 Nov 2026 08:00:01 GMT', 'Fri, 20 Nov 2026 08:00:00 GMT'],
    ['and by our own where it tells no time', 'Fri, 20 Nov 2026 12:00:01 GMT', ''],
  ])('may be a date, %s', async (_, until, date) => {
    steps = [away({ 'retry-after': until, date }), done];
    await connection.request(operation({ method: 'GET', idempotent: false }));
    expect(waits).toEqual([1_000]);
  });

  test.each(['soon', '-1', '1.5', '2026-11-20', ''])('of %j is none', async (text) => {
    steps = [away({ 'retry-after': text }), done];
    await connection.request(operation({ method: 'GET', idempotent: false }));
    expect(waits[0]).toBeGreaterThan(100);
    expect(waits[0]).toBeLessThan(300);
  });

  test('is not waited for when it is longer than the time-out', async () => {
    steps = [away({ 'retry-after': '60' }), done];
    await expect(connection.request(operation({}))).rejects.toMatchObject({ exitCode: 1, code: 'service_unavailable' });
    expect(seen).toHaveLength(1);
  });
});

test('a refusal carries what the server said', async () => {
  const body = { error: 'invalid_request', error_description: 'No.', details: [{ path: 'name', message: 'is long' }] };
  steps = [json(400, body, { 'x-request-id': 'abc' })];
  await expect(connection.request(operation({}))).rejects.toMatchObject({
    exitCode: 1,
    code: 'invalid_request',
    message: 'No.',
    more: { details: body.details, status: 400, requestId: 'abc' },
  });
});

test('what is not Sluice is not reached', async () => {
  steps = [(_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nginx</h1>')];
  await expect(connection.request(operation({}))).rejects.toMatchObject({ exitCode: 3, code: 'not_sluice' });
});

test.each<[status: number, type: string | undefined, answers: string[]]>([
  [200, 'text/html', ['application/json']],
  [200, 'TEXT/HTML; charset=utf-8', ['application/json', 'text/csv']],
  [201, 'text/plain', ['application/json']],
  [200, undefined, ['application/json']],
  [200, 'text/html', []],
  [202, 'text/html', ['application/x-ndjson']],
  [200, 'application/jsonp', ['application/json']],
])('a page in front of the server is no success: %s %s instead of %j', async (status, type, answers) => {
  steps = [(_, response) => response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end('Hi')];
  const wanted = { exitCode: 3, code: 'not_sluice' };
  await expect(connection.request(operation({ answers }))).rejects.toMatchObject(wanted);
  await expect(connection.stream(operation({ answers }))).rejects.toMatchObject(wanted);
});

test('every kind of answer of an operation is a success', async () => {
  const answers = ['application/json', 'text/csv', 'text/html'];
  for (const type of [...answers, 'application/sarif+json', 'Text/CSV; header=present']) {
    steps = [(_, response) => response.writeHead(200, { 'content-type': type }).end('1')];
    expect(await connection.request(operation({ answers }))).toMatchObject({ text: '1' });
  }
});

test('a redirect is not followed: the token is for this server only', async () => {
  steps = [(_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()];
  await expect(connection.request(operation({ idempotent: false }))).rejects.toMatchObject({
    exitCode: 3,
    message: 'The server redirects to http://127.0.0.1:1, and a token goes to one server only.',
  });
});

test('a server that says nothing is given up', async () => {
  steps = [() => undefined];
  await expect(connect(200).request(operation({}))).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('did not answer within 0.2 s'),
  });
});

test('a stream is handed on while it comes', async () => {
  const headers = { 'content-type': 'application/json' };
  steps = [(_, response) => response.writeHead(200, headers).write('{"type":"started"}\n')];
  const response = await connection.stream(operation({ answers: ['application/x-ndjson'] }));
  const { value } = await response.body[Symbol.asyncIterator]().next();
  expect(new TextDecoder().decode(value)).toBe('{"type":"started"}\n');
  server.closeAllConnections();
});
