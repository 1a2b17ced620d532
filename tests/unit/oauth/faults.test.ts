import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Transport } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type SmallServerOptions, smallServer } from '@/tests/fixtures/small-server';

// Libraries that report what they refuse as a fault, and clients whose credentials are unusual, in front of the small server.

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

const readForm = async (request: Request) => new URLSearchParams(await request.clone().text());
const json = (status: number, body: unknown) => Response.json(body, { status });

/** Answers whatever the server refuses with a fault. @param isFailing whether it fails at this refusal */
function failAtRefusals(isFailing: (count: number) => boolean = () => true, status = 500): Habit {
  let count = 0;
  return async (request, send) => {
    const answer = await send(request);
    const { pathname } = new URL(request.url);
    const isError = answer.headers.get('location')?.includes('error=') ?? false;
    if (!['/authorize', '/token'].includes(pathname) || !(answer.status >= 400 || isError)) return answer;
    count += 1;
    return isFailing(count) ? json(status, { error: 'server_error' }) : answer;
  };
}

const REFUSING = [
  ...['strict-redirect-uri', 'redirect-uri-confusion', 'pkce-s256', 'client-authentication'],
  ...[
    'code-client-binding',
    'refresh-client-binding',
    'token-client-id-required',
    'credentials-in-uri',
    'token-post-only',
  ],
  ...['code-invented', 'code-single-use', 'refresh-rotation', 'client-unknown', 'no-open-redirect-on-error'],
];

test.each(REFUSING)('%s passes if the server fails at the same request each time', async (control) => {
  expect(await judge(control, failAtRefusals())).toMatchObject({ kind: 'passed' });
});

test.each(REFUSING)('%s is undecided at a server that is overloaded', async (control) => {
  const verdict = await judge(
    control,
    failAtRefusals(() => true, 503),
  );
  expect(verdict).toMatchObject({ kind: 'inconclusive' });
});

test('races are decided at a server that refuses by a fault', async () => {
  for (const control of ['code-race', 'refresh-race'])
    expect(await judge(control, failAtRefusals(), { rotates: true }), control).toMatchObject({ kind: 'passed' });
});

test('a resource that fails at every bad token names no error', async () => {
  const fail =
    (status: number): Habit =>
    async (request, send) => {
      const answer = await send(request);
      return answer.status === 401 && new URL(request.url).pathname === '/data' ? json(status, {}) : answer;
    };
  expect(await judge('www-authenticate', fail(500))).toMatchObject({ kind: 'failed' });
  expect(await judge('www-authenticate', fail(503))).toMatchObject({ kind: 'inconclusive' });
});

test('a fault whose words name the request is the same one', async () => {
  const nameRequest: Habit = async (request, send) => {
    const answer = await failAtRefusals()(request, send);
    return answer.status === 500 ? json(500, { error: `Cannot read ${request.url}` }) : answer;
  };
  for (const control of ['require-pkce', 'pkce-s256', 'code-single-use'])
    expect(await judge(control, nameRequest), control).toEqual(await judge(control, failAtRefusals()));
});

test('a fault in front of what is accepted is a failure', async () => {
  let count = 0;
  const failOnce: Habit = async (request, send) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/authorize' || searchParams.has('code_challenge')) return send(request);
    count += 1;
    return count === 1 ? json(500, { error: 'server_error' }) : send(request);
  };
  expect(await judge('require-pkce', failOnce, { ignoresPkce: true })).toMatchObject({ kind: 'failed' });
});

test('a code that cannot be redeemed shows nothing about the resource it was requested for', async () => {
  const refuse: Habit = async (request, send) =>
    new URL(request.url).pathname === '/token' ? json(400, { error: 'invalid_request' }) : send(request);
  expect(await judge('resource-target', refuse)).toMatchObject({ kind: 'inconclusive' });
});

test('a scope that is refused with the code is refused', async () => {
  const scopes = new Map<string, string>();
  const refuseLate: Habit = async (request, send) => {
    const url = new URL(request.url);
    const form = url.pathname === '/token' ? await readForm(request) : null;
    if (scopes.get(form?.get('code') ?? '')?.includes('sluice')) return json(400, { error: 'invalid_scope' });
    const asked = url.searchParams.get('scope') ?? '';
    url.searchParams.set('scope', asked.replace(/ \S*sluice\S*/g, ''));
    const answer = await send(url.pathname === '/authorize' ? new Request(url, { headers: request.headers }) : request);
    const code = new URL(answer.headers.get('location') ?? 'https://small.example').searchParams.get('code');
    if (code !== null) scopes.set(code, asked);
    return answer;
  };
  expect(await judge('scope-limits', refuseLate)).toMatchObject({ kind: 'passed' });
});

/** Redeems for a public client only if it sends an empty secret. */
const wantEmptySecret: Habit = async (request, send) => {
  if (new URL(request.url).pathname !== '/token') return send(request);
  const form = await readForm(request);
  const hasSecret = form.has('client_secret') || request.headers.has('authorization');
  return hasSecret ? send(request) : json(400, { error: 'invalid_request' });
};

test.each(['code-single-use', 'pkce-verified', 'refresh-rotation'])(
  '%s is judged where public clients send an empty secret',
  async (control) => {
    expect(await judge(control, wantEmptySecret)).toMatchObject({ kind: 'passed' });
  },
);

test('a wrong secret may be refused in any words', async () => {
  const metadata = { token_endpoint_auth_methods_supported: undefined };
  const refuse: Habit = async (request, send) => {
    const answer = await send(request);
    return answer.status === 401 ? json(200, { error: 'unauthorized_client' }) : answer;
  };
  expect(await judge('basic-authentication', refuse, { metadata })).toMatchObject({ kind: 'passed' });
});
