import { expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { smallServer } from '@/tests/fixtures/small-server';
import { VERDICTS_ALONE } from './lab-fixture';

const USERINFO = 'https://small.example/userinfo';
const TOKEN = /^Bearer (?!not-a-token).+$/;

/** A resource without a token: of MCP, whose session anyone opens, or open to everyone. */
type Resource = 'of MCP' | 'of MCP, without a look at tokens' | 'open';

/** Judges a control at such a resource. UserInfo may take tokens in the URL. */
async function judge(control: string, resource: Resource, userinfo?: 'sound' | 'reads the URL') {
  const small = smallServer({ metadata: userinfo === undefined ? {} : { userinfo_endpoint: USERINFO } });
  async function transport(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const authorization = request.headers.get('authorization');
    if (pathname === '/userinfo') {
      const given = userinfo === 'reads the URL' ? (searchParams.get('access_token') ?? '') : '';
      const isGood = TOKEN.test(authorization ?? `Bearer ${given}`) && (authorization !== null || given !== '');
      return isGood ? Response.json({ sub: 'someone' }) : new Response(null, { status: 401 });
    }
    if (pathname !== '/data') return small.transport(request);
    if (resource === 'open') return Response.json({});
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    return authorization === null || resource !== 'of MCP' || TOKEN.test(authorization)
      ? Response.json({ jsonrpc: '2.0', id: 1, result: {} })
      : new Response(null, { status: 401 });
  }
  const controls = CATALOGUE.filter(({ id }) => id === control);
  const [finding] = await assessAll({ ...small, transport }, { ...VERDICTS_ALONE, controls });
  return finding?.verdict;
}

test.each(['token-required', 'no-token-in-query'])(
  'a session of MCP that anyone opens leaves %s undecided',
  async (id) => {
    const reason = expect.stringContaining('opens an MCP session without a token');
    expect(await judge(id, 'of MCP')).toEqual({ kind: 'inconclusive', reason });
    expect(await judge(id, 'of MCP', 'sound')).toEqual({ kind: 'inconclusive', reason });
  },
);

test('a resource that is open to everyone fails, and its tokens in the URL are not judged', async () => {
  expect(await judge('token-required', 'open')).toMatchObject({ kind: 'failed' });
  expect(await judge('no-token-in-query', 'open')).toMatchObject({ kind: 'not_applicable' });
  expect(await judge('no-token-in-query', 'open', 'sound')).toMatchObject({ kind: 'not_applicable' });
});

test.each(['of MCP', 'open'] as const)('UserInfo is tried beside a resource that is open (%s)', async (resource) => {
  expect(await judge('no-token-in-query', resource, 'reads the URL')).toEqual({
    kind: 'failed',
    reason: 'The server accepted: a token in the URL at UserInfo.',
  });
});

test('a session of MCP that opens with any token proves nothing', async () => {
  expect(await judge('signature-verified', 'of MCP, without a look at tokens')).toMatchObject({ kind: 'inconclusive' });
  expect(await judge('signature-verified', 'open')).toMatchObject({ kind: 'failed' });
});
