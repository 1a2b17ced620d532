import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Transport } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type SmallServerOptions, smallServer } from '@/tests/fixtures/small-server';

// Token endpoints that refuse in the words of a web framework, and that read two spellings as one.

type Habit = (request: Request, send: Transport) => Promise<Response>;

async function judge(control: string, habit: Habit, options: SmallServerOptions = {}) {
  const target = smallServer(options);
  const [finding] = await assessAll(
    { ...target, transport: (request) => habit(request, (own) => target.transport(own)) },
    {
      clock: () => performance.now(),
      sleep: async () => undefined,
      random: (length: number) => randomBytes(length),
      controls: CATALOGUE.filter(({ id }) => id === control),
    },
  );
  return finding?.verdict;
}

const isToken = (request: Request) => new URL(request.url).pathname === '/token';
const readForm = async (request: Request) => new URLSearchParams(await request.clone().text());

/** Refuses token requests with this status, and without an OAuth error. */
const refuseWith =
  (status: number): Habit =>
  async (request, send) => {
    const answer = await send(request);
    return isToken(request) && answer.status >= 400 ? Response.json({ detail: 'Not possible.' }, { status }) : answer;
  };

describe.each([200, 401, 404, 422])('refusals of status %i with words of the server', (status) => {
  test.each(['code-invented', 'code-single-use', 'pkce-verified', 'client-authentication', 'refresh-client-binding'])(
    'decide %s',
    async (control) => {
      expect(await judge(control, refuseWith(status))).toMatchObject({ kind: 'passed' });
    },
  );
});

test('a token endpoint that refuses an empty request with 404 is there', async () => {
  expect(await judge('metadata-consistent', refuseWith(404))).toMatchObject({ kind: 'passed' });
});

test('a password that is refused in words of its own was checked', async () => {
  const checkPassword: Habit = async (request, send) => {
    if (!isToken(request)) return send(request);
    const type = (await readForm(request)).get('grant_type');
    if (type === 'authorization_code' || type === 'refresh_token') return send(request);
    const detail = type === 'password' ? 'Incorrect user name or password' : 'Unknown request';
    return Response.json({ detail }, { status: 400 });
  };
  expect(await judge('no-password-grant', checkPassword)).toMatchObject({ kind: 'failed' });
});

describe.each([
  ['fails at', () => new Response('Internal Server Error', { status: 500 })],
  ['answers with an error and status 200', () => Response.json({ error: 'invalid_token' })],
])('a resource that %s every token that it refuses', (_, refuse) => {
  const controls = ['token-altered', 'token-type-header', 'no-token-in-query', 'revocation-effective'];
  test.each(controls)('shows what it shows by 401 about %s', async (control) => {
    const fail: Habit = async (request, send) => {
      const answer = await send(request);
      return new URL(request.url).pathname === '/data' && answer.status === 401 ? refuse() : answer;
    };
    expect(await judge(control, fail, { opaqueTokens: 'stay' })).toEqual(
      await judge(control, (request, send) => send(request), { opaqueTokens: 'stay' }).then((verdict) => ({
        ...verdict,
        reason: expect.any(String),
      })),
    );
  });
});

test('a resource whose answers always have a member error is judged by its content', async () => {
  const wrap: Habit = async (request, send) => {
    const answer = await send(request);
    return new URL(request.url).pathname === '/data' && answer.ok ? Response.json({ error: null, data: 1 }) : answer;
  };
  expect(await judge('token-altered', wrap, { opaqueTokens: 'stay' })).toMatchObject({ kind: 'passed' });
});

test('hexadecimal codes may be read in both letter cases', async () => {
  const writeHex: Habit = async (request, send) => {
    if (isToken(request)) {
      const form = await readForm(request);
      const code = form.get('code');
      if (code !== null) form.set('code', Buffer.from(code, 'hex').toString());
      return send(new Request(request.url, { method: 'POST', headers: request.headers, body: form }));
    }
    const answer = await send(request);
    const location = answer.headers.get('location');
    if (location === null || !location.includes('code=')) return answer;
    const url = new URL(location);
    url.searchParams.set('code', Buffer.from(url.searchParams.get('code') ?? '').toString('hex'));
    return new Response(null, { status: 302, headers: { location: url.href } });
  };
  expect(await judge('code-invented', writeHex)).toMatchObject({ kind: 'passed' });
});

test('a secret whose spaces are removed is a failure of low severity, and hides no other', async () => {
  const trim: Habit = async (request, send) => {
    if (!isToken(request)) return send(request);
    const form = await readForm(request);
    const secret = form.get('client_secret');
    if (secret !== null) form.set('client_secret', secret.trim());
    return send(new Request(request.url, { method: 'POST', headers: request.headers, body: form }));
  };
  expect(await judge('client-authentication', trim)).toMatchObject({ kind: 'failed', severity: 'low' });
  expect(await judge('refresh-authentication', trim)).toMatchObject({ kind: 'passed' });
  expect(await judge('credentials-in-uri', trim)).toMatchObject({ kind: 'passed' });
});
