import { describe, expect, it } from 'vitest';
import { findOAuthClients as clientsOf } from '@/lib/enforcement/caller-identity';
import { createMemoryState } from '@/lib/oauth/lab/memory-state';
import { createLabIdentity } from '@/lib/oauth/lab/signing-key';

const lab = createLabIdentity({ state: createMemoryState(), now: () => 0, random: (size) => new Uint8Array(size) });
const oauthClients = (request: Request, path: string) => clientsOf(request, [path], lab);
const oauthClient = async (request: Request, path: string) => (await oauthClients(request, path))[0] ?? null;
const URL_OF_TOKEN = 'https://sluice.example/auth/token';
const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };

const post = (body: string, headers: Record<string, string> = {}, url = URL_OF_TOKEN) =>
  oauthClient(new Request(url, { method: 'POST', headers, body }), new URL(url).pathname);

describe('the client that a request to the authorization server names', () => {
  it('stands in HTTP Basic', async () => {
    expect(await post('', basic('demo-client:'))).toEqual({ id: 'demo-client', type: 'public' });
    expect(await post('', basic('demo-confidential:demo-secret'))).toEqual({
      id: 'demo-confidential',
      type: 'confidential',
    });
    expect(await post('', { authorization: basic('x:y').authorization.replace('Basic ', 'bASIC   ') })).toMatchObject({
      id: 'x',
    });
  });

  it('is form-encoded there, so that no spelling is another client (RFC 6749, section 2.3.1)', async () => {
    expect(await post('', basic('demo%2Dconfidential:demo-secret'))).toEqual({
      id: 'demo-confidential',
      type: 'confidential',
    });
    expect(await post('', basic('my+client+2:x'))).toMatchObject({ id: 'my client 2' });
    expect(await post('', basic('caf%C3%A9:x'))).toMatchObject({ id: 'café' });
  });

  it.each([
    ['what is no base64', { authorization: 'Basic !!!' }],
    ['text before it', { authorization: `x ${basic('a:b').authorization}` }],
    ['text after it', { authorization: `${basic('a:b').authorization} x` }],
    ['an empty name', basic(':x')],
    ['another scheme', { authorization: 'Bearer abc' }],
  ])('is not read from Basic in %s', async (_, headers) => {
    expect(await post('', headers)).toBeNull();
  });

  it('stands in the query, or in the body as a form or as JSON', async () => {
    expect(await post('', {}, `${URL_OF_TOKEN}?client_id=in-query`)).toMatchObject({ id: 'in-query' });
    expect(await post('client_id=in-form', form)).toMatchObject({ id: 'in-form' });
    expect(await post('{"client_id":"in-json"}', json)).toMatchObject({ id: 'in-json' });
    for (const body of ['client_id=x', '{"client_id":"x"}'])
      expect(await post(body, { 'content-type': 'text/plain' })).toBeNull();
    expect(await post('client_id=x', json)).toBeNull();
    expect(await post('{"client_id":"x"}', form)).toBeNull();
  });

  it.each([
    ['a stray bit', 'bWU6cx=='],
    ['no padding', 'bWU6cw'],
    ['characters outside of the alphabet', 'b.W.U!6cw=='],
    ['no colon', 'bWU='],
  ])('is read from Basic with %s, because servers read it', async (_, credentials) => {
    expect(await post('', { authorization: `Basic ${credentials}` })).toMatchObject({ id: 'me' });
    expect(await post('', { authorization: `Basic\t${credentials}` })).toMatchObject({ id: 'me' });
  });

  it('stays as it is in Basic with an invalid escape', async () => {
    expect(await post('', basic('%zz:x'))).toMatchObject({ id: '%zz' });
  });

  it('is read from a body whatever coding it declares', async () => {
    const headers = { ...form, 'content-encoding': 'gzip' };
    expect(await post('client_id=me', headers)).toMatchObject({ id: 'me' });
  });

  /** Ways to name a client. Each can be combined with each other one. */
  const PLACES: Record<string, (id: string) => { headers?: Record<string, string>; query?: string; body?: string }> = {
    basic: (id) => ({ headers: basic(`${id}:x`) }),
    query: (id) => ({ query: `client_id=${id}` }),
    'second in the query': (id) => ({ query: `client_id=&client_id=${id}` }),
    form: (id) => ({ headers: form, body: `client_id=${id}` }),
    'second in the form': (id) => ({ headers: form, body: `client_id=&client_id=${id}` }),
    json: (id) => ({ headers: json, body: JSON.stringify({ client_id: id, other: 7 }) }),
    assertion: (id) => ({ headers: form, body: `client_assertion=e30.${encode({ sub: id })}.` }),
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const listNamed = async (...parts: ReturnType<(typeof PLACES)[string]>[]) => {
    const headers = Object.assign({}, ...parts.map((part) => part.headers));
    const query = parts.flatMap((part) => part.query ?? []).join('&');
    const body = parts.flatMap((part) => part.body ?? []).join('&');
    const request = new Request(`${URL_OF_TOKEN}?${query}`, { method: 'POST', headers, body });
    return (await oauthClients(request, '/auth/token')).map(({ id }) => id);
  };
  const pairs = Object.entries(PLACES).flatMap(([one, first]) =>
    Object.entries(PLACES).flatMap(([two, second]) => {
      const areBodies = (one === 'json') !== (two === 'json') && [first('a'), second('a')].every(({ body }) => body);
      return one === two || areBodies ? [] : [{ one, two, first, second }];
    }),
  );

  it.each(pairs)('is each one of those in $one and $two', async ({ first, second }) => {
    expect((await listNamed(first('one'), second('two'))).toSorted()).toEqual(['one', 'two']);
    expect(await listNamed(first('one'), second('one'))).toEqual(['one']);
    expect(await listNamed(first(''), second('two'))).toEqual(['two']);
  });

  it.each(['7', '{}', 'null'])('is nobody in an assertion whose subject is %s', async (subject) => {
    const claims = Buffer.from(`{"sub":${subject}}`).toString('base64url');
    expect(await post(`client_assertion=e30.${claims}.`, form)).toBeNull();
  });

  it.each(['[]', 'null', '"x"', '7', '{', '{}', '{"client_id":7}', '{"client_id":""}'])(
    'is nobody in the JSON %s',
    async (body) => {
      expect(await post(body, json)).toBeNull();
    },
  );

  it('is nobody where a client is named with no value', async () => {
    expect(await post('', {}, `${URL_OF_TOKEN}?client_id=`)).toBeNull();
    expect(await post('grant_type=x', form)).toBeNull();
  });

  it('is not asked for beside the authorization server', async () => {
    const named = { headers: basic('demo-client:') };
    const at = (path: string) => oauthClient(new Request(`https://sluice.example${path}`, named), path);
    for (const path of ['/auth', '/auth/token', '/AUTH/par']) expect(await at(path)).not.toBeNull();
    for (const path of ['/api/data', '/authors', '/x/auth/token']) expect(await at(path)).toBeNull();
  });

  it('leaves the body to the next reader, and does not look for one in a GET', async () => {
    const request = new Request(URL_OF_TOKEN, { method: 'POST', headers: form, body: 'client_id=demo-client' });
    await oauthClient(request, '/auth/token');
    expect(await request.text()).toBe('client_id=demo-client');
    for (const method of ['GET', 'HEAD'])
      expect(await oauthClient(new Request(URL_OF_TOKEN, { method, headers: form }), '/auth/token')).toBeNull();
  });
});
