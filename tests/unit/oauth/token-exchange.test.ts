import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { ACCESS_TOKEN_TYPE, OTHER_SERVICE, TOKEN_EXCHANGE_GRANT } from '@/lib/contract/lab-paths';
import { BASIC, makeLab } from './lab-fixture';

type TestLab = ReturnType<typeof makeLab>;

const exchange = (
  lab: TestLab,
  token: string,
  fields: Record<string, string> = {},
  headers = { authorization: BASIC },
) =>
  lab.form(
    '/auth/token',
    { grant_type: TOKEN_EXCHANGE_GRANT, subject_token: token, subject_token_type: ACCESS_TOKEN_TYPE, ...fields },
    { headers },
  );

describe('the token exchange of the lab', () => {
  test('gives a confidential client a token of its own for a token of another client', async () => {
    const lab = makeLab();
    const { access_token } = await lab.tokensFor();
    const answer = await exchange(lab, access_token, { scope: 'profile', resource: OTHER_SERVICE });
    expect(answer.status).toBe(200);
    const body = await answer.json();
    expect(body).toMatchObject({ issued_token_type: ACCESS_TOKEN_TYPE, token_type: 'Bearer', scope: 'profile' });
    expect(Object.keys(body)).not.toContain('refresh_token');
    const claims = decodeJwt(body.access_token);
    expect(claims).toMatchObject({
      client_id: 'demo-confidential',
      aud: OTHER_SERVICE,
      sub: decodeJwt(access_token).sub,
    });
    expect(claims.act).toBeUndefined();
  });

  test('gives one that opens the data, and never outlives the subject token', async () => {
    const lab = makeLab();
    const { access_token } = await lab.tokensFor();
    lab.advance(600_000);
    const body = await (await exchange(lab, access_token, { audience: 'resource-server' })).json();
    expect(body.expires_in).toBe(300);
    expect((await lab.data(body.access_token)).status).toBe(200);
  });

  test('names the actor, and keeps earlier ones', async () => {
    const lab = makeLab();
    const { access_token } = await lab.tokensFor();
    const actor = { actor_token: access_token, actor_token_type: ACCESS_TOKEN_TYPE };
    const first = await (await exchange(lab, access_token, actor)).json();
    const act = { sub: 'demo@example.com', client_id: 'demo-client' };
    expect(decodeJwt(first.access_token).act).toEqual(act);
    const second = await (await exchange(lab, first.access_token, actor)).json();
    expect(decodeJwt(second.access_token).act).toEqual({ ...act, act });
  });

  test('ends with the grant of the subject token', async () => {
    const lab = makeLab();
    const tokens = await lab.tokensFor();
    const body = await (await exchange(lab, tokens.access_token)).json();
    await lab.form('/auth/revoke', { token: tokens.refresh_token, client_id: 'demo-client' });
    expect((await lab.data(body.access_token)).status).toBe(401);
    expect((await exchange(lab, tokens.access_token)).status).toBe(400);
  });

  const REFUSED: [string, Record<string, string>, string, string[]][] = [
    ['a wider scope', { scope: 'profile email' }, 'invalid_scope', ['token-exchange-scope']],
    ['an unknown resource', { resource: 'https://unknown.example/' }, 'invalid_target', ['resource-target']],
    ['an unknown audience', { audience: 'unknown' }, 'invalid_target', ['resource-target']],
    [
      'another subject type',
      { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' },
      'invalid_request',
      ['token-exchange-type'],
    ],
    [
      'another requested type',
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'invalid_request',
      [],
    ],
    ['an actor without its type', { actor_token: 'x' }, 'invalid_request', []],
    ['a type without an actor', { actor_token_type: ACCESS_TOKEN_TYPE }, 'invalid_request', []],
    ['no subject token', { subject_token: '' }, 'invalid_request', []],
    ['a malformed subject token', { subject_token: 'x.y.z' }, 'invalid_request', []],
  ];
  test.each(REFUSED)('refuses %s', async (_, fields, error, blocked_by) => {
    const lab = makeLab();
    const { access_token } = await lab.tokensFor();
    const answer = await exchange(lab, access_token, fields);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error, blocked_by }]);
  });

  test('refuses ID tokens, refresh tokens, expired tokens and public clients', async () => {
    const lab = makeLab();
    const { access_token, id_token, refresh_token } = await lab.tokensFor();
    for (const token of [id_token, refresh_token])
      expect(await (await exchange(lab, token)).json()).toMatchObject({ blocked_by: ['token-exchange-type'] });
    const asPublic = await lab.form('/auth/token', {
      ...{ grant_type: TOKEN_EXCHANGE_GRANT, client_id: 'demo-client' },
      ...{ subject_token: access_token, subject_token_type: ACCESS_TOKEN_TYPE },
    });
    expect(await asPublic.json()).toMatchObject({ error: 'unauthorized_client' });
    lab.advance(1_000_000);
    expect(await (await exchange(lab, access_token)).json()).toMatchObject({ blocked_by: ['token-exchange-subject'] });
  });

  test('never takes the subject token from the address', async () => {
    const lab = makeLab();
    const { access_token } = await lab.tokensFor();
    const query = new URLSearchParams({ subject_token: access_token });
    const body = { grant_type: TOKEN_EXCHANGE_GRANT, subject_token_type: ACCESS_TOKEN_TYPE };
    const answer = await lab.form(`/auth/token?${query}`, body, { headers: { authorization: BASIC } });
    expect((await answer.json()).blocked_by).toContain('credentials-in-uri');
  });
});
