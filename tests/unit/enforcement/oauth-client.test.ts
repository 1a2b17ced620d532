import { describe, expect, it } from 'vitest';
import { findOAuthClient as clientOf } from '@/lib/enforcement/caller-identity';
import { createMemoryState } from '@/lib/oauth/lab/memory-state';
import { createLabIdentity } from '@/lib/oauth/lab/signing-key';

const lab = createLabIdentity({ state: createMemoryState(), now: () => 0, random: (size) => new Uint8Array(size) });
const oauthClient = (request: Request, path: string) => clientOf(request, [path], lab);
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
    ['an invalid escape', basic('%zz:x')],
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

  it('is the first where they differ: Basic, query, body', async () => {
    const url = `${URL_OF_TOKEN}?client_id=in-query`;
    expect(await post('client_id=in-form', { ...form, ...basic('in-basic:x') }, url)).toMatchObject({ id: 'in-basic' });
    expect(await post('client_id=in-form', form, url)).toMatchObject({ id: 'in-query' });
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
