import { expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type SmallServerOptions, smallServer } from '@/tests/fixtures/small-server';
import { VERDICTS_ALONE } from './lab-fixture';

// Servers that refuse in few words, or refuse more than they must.

type Answer = (request: Request, fields: URLSearchParams, sound: () => Promise<Response>) => Promise<Response>;

/** Judges one control of a small server behind something that answers in another way. */
async function judge(control: string, answer: Answer, options: SmallServerOptions = {}, changes: object = {}) {
  const small = smallServer(options);
  const target: typeof small = {
    ...small,
    ...changes,
    async transport(request) {
      const text = await request.clone().text();
      const fields = new URLSearchParams(request.method === 'POST' ? text : new URL(request.url).search);
      return answer(request, fields, () => small.transport(request));
    },
  };
  const controls = CATALOGUE.filter(({ id }) => id === control);
  const [finding] = await assessAll(target, { ...VERDICTS_ALONE, controls });
  return finding?.verdict;
}

const at = (request: Request, path: string) => new URL(request.url).pathname === path;
const isConfidential = (request: Request, fields: URLSearchParams) =>
  fields.get('client_id') === 'second' || request.headers.has('authorization');

const OWN = { 'cache-control': 'no-store', 'x-application': 'accounts' };
const PAR = { pushed_authorization_request_endpoint: 'https://small.example/par' };

/** Takes pushed requests of clients that authenticate, and refuses others with a bare 403 that has these headers. */
const pushesFor =
  (refusal: Record<string, string>): Answer =>
  async (request, fields, sound) => {
    if (!at(request, '/par')) return sound();
    if (fields.get('client_secret') === null || fields.get('client_secret') === 'not-the-secret')
      return new Response(null, { status: 403, headers: refusal });
    return Response.json({ request_uri: 'urn:pushed', expires_in: 60 }, { status: 201, headers: OWN });
  };

test.each([
  ['of the server itself', OWN, 'passed'],
  ['of a firewall', { server: 'wall', 'cache-control': 'no-store' }, 'inconclusive'],
  ['of no server in particular', {}, 'inconclusive'],
])('a bare 403 with the headers %s (%o) makes it %s', async (_whose, headers, kind) => {
  expect(await judge('par-authentication', pushesFor(headers), { metadata: PAR })).toMatchObject({ kind });
});

/** Describes tokens to the second client, and forbids it to others without a word: at its endpoint, or for want of credentials. */
const describesTo =
  (isWall: boolean): Answer =>
  async (request, _fields, sound) => {
    if (!at(request, '/introspect')) return sound();
    const secret = new URLSearchParams(await request.text()).get('client_secret');
    if (secret?.startsWith('kV7')) return Response.json({ active: false });
    return new Response(isWall && secret === null ? 'Blocked' : null, { status: 403 });
  };

test.each([
  [false, 'passed'],
  [true, 'inconclusive'],
])('a 403 that a wrong secret gets, too, is a refusal; another one (%s) is %s', async (isWall, kind) => {
  const metadata = { introspection_endpoint: 'https://small.example/introspect' };
  expect(await judge('introspection-authentication', describesTo(isWall), { metadata })).toMatchObject({ kind });
});

/** Lets only clients with a secret revoke. */
const revokesForConfidential: Answer = async (request, fields, sound) =>
  at(request, '/revoke') && !isConfidential(request, fields)
    ? Response.json({ error: 'invalid_client' }, { status: 401 })
    : sound();

test.each([
  ['revocation-refresh', {}, 'passed'],
  ['revocation-client-bound', {}, 'passed'],
  ['revocation-client-bound', { anyoneRevokes: true }, 'failed'],
  ['revocation-effective', { opaqueTokens: 'stay' }, 'failed'],
] as const)('where a public client may not revoke, another decides %s', async (control, options, kind) => {
  expect(await judge(control, revokesForConfidential, options)).toMatchObject({ kind });
});

/** Has tokens without a user for one scope, with or without the right secret. */
const needsScope =
  (takesAnySecret: boolean): Answer =>
  async (request, fields, sound) => {
    if (!at(request, '/token') || fields.get('grant_type') !== 'client_credentials') return sound();
    if (fields.get('client_id') !== 'second' || !(takesAnySecret || fields.get('client_secret')?.startsWith('kV7')))
      return Response.json({ error: 'invalid_client' }, { status: 401 });
    return fields.get('scope') === 'read'
      ? Response.json({ access_token: crypto.randomUUID(), token_type: 'Bearer' })
      : Response.json({ error: 'invalid_scope' }, { status: 400 });
  };

test('client credentials that need a scope are tried with one', async () => {
  expect((await judge('client-credentials-authentication', needsScope(true)))?.kind).toBe('failed');
});

/** Asks for a login first, and then sends errors to whatever address a request names, or shows them. */
const asksFirst =
  (redirects: boolean): Answer =>
  async (request, fields, sound) => {
    if (!at(request, '/authorize') || fields.get('redirect_uri') === 'https://app.example.com/callback') {
      return at(request, '/authorize') && !request.headers.has('cookie') ? login() : sound();
    }
    if (!request.headers.has('cookie')) return login();
    if (!redirects || fields.get('response_type') === 'code')
      return Response.json({ error: 'invalid_request' }, { status: 400 });
    return new Response(null, {
      status: 302,
      headers: { location: `${fields.get('redirect_uri')}?error=unsupported_response_type` },
    });
  };
const login = () =>
  new Response('<form method="post"><input type="password" name="password"></form>', {
    headers: { 'content-type': 'text/html' },
  });

test.each([
  [true, 'failed'],
  [false, 'passed'],
])('errors behind a login are tried with a session: %s is %s', async (redirects, kind) => {
  expect(await judge('no-open-redirect-on-error', asksFirst(redirects))).toMatchObject({ kind });
});

/** Goes on only with a parameter of its own in the address. It takes pushed requests, each once. */
function continues(): Answer {
  const used = new Set<string | null>();
  return async (request, fields, sound) => {
    if (at(request, '/par')) return Response.json({ request_uri: `urn:${crypto.randomUUID()}` }, { status: 201 });
    if (!at(request, '/authorize')) return sound();
    if (!fields.has('go_on')) return login();
    const uri = fields.get('request_uri');
    if (uri === null) return sound();
    if (used.size === used.add(uri).size) return Response.json({ error: 'invalid_request_uri' }, { status: 400 });
    const location = `https://app.example.com/callback?code=${crypto.randomUUID()}&state=pushed`;
    return new Response(null, { status: 302, headers: { location } });
  };
}

test('the parameters of every authorization request stand beside a pushed one, too', async () => {
  expect(await judge('par', continues(), { metadata: PAR }, { parameters: { go_on: '1' } })).toMatchObject({
    kind: 'passed',
  });
});

test('a wall before an address that begins as the registered one leaves its errors undecided', async () => {
  const answer: Answer = async (_request, fields, sound) =>
    fields.get('redirect_uri')?.startsWith('https://app.example.com.unregistered') === true
      ? new Response('down', { status: 503 })
      : sound();
  expect(await judge('no-open-redirect-on-error', answer)).toMatchObject({ kind: 'inconclusive' });
});

test.each(['scope-enforced', 'refresh-scope'])(
  '%s is not applicable only where an invented scope works',
  async (id) => {
    const resource = { url: 'https://small.example/data', scope: null };
    const options: SmallServerOptions = { opaqueTokens: 'stay', omitsScopes: true };
    const refuses: Answer = async (_request, fields, sound) =>
      fields.get('scope')?.includes('sluice') === true
        ? Response.json({ error: 'invalid_scope' }, { status: 400 })
        : sound();
    expect(await judge(id, refuses, options, { resource })).toMatchObject({ kind: 'inconclusive' });
    const ignores: Answer = async (_request, _fields, sound) => sound();
    expect(await judge(id, ignores, options, { resource })).toMatchObject({ kind: 'not_applicable' });
  },
);

test('markup in a token request is sent as another site can: without credentials', async () => {
  const sent: boolean[] = [];
  const answer: Answer = async (request, fields, sound) => {
    if (at(request, '/token') && fields.get('grant_type')?.includes('sluice-mark') === true)
      sent.push(request.headers.has('authorization') || fields.has('client_secret'));
    return sound();
  };
  const { otherClient } = smallServer();
  await judge('markup-escaped', answer, {}, { client: otherClient });
  expect(sent).toEqual([false]);
});
