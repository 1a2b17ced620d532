import { expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type SmallServerOptions, smallServer } from '@/tests/fixtures/small-server';
import { VERDICTS_ALONE } from './lab-fixture';

const ORIGIN = 'https://small.example';
const [OAUTH, OPENID] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

type Answer = (request: Request, url: URL, sound: (path?: string) => Promise<Response>) => Promise<Response>;

const namesHost = ({ headers }: Request) => headers.has('x-forwarded-host') || headers.has('forwarded');

/** Judges `forwarded-host` at a small server that answers differently. */
async function judge(answer: Answer, options: SmallServerOptions = {}) {
  const small = smallServer(options);
  const seen: string[] = [];
  async function transport(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname.startsWith('/.well-known') && namesHost(request)) seen.push(url.href);
    return answer(request, url, (path) => small.transport(path === undefined ? request : new Request(ORIGIN + path)));
  }
  const controls = CATALOGUE.filter(({ id }) => id === 'forwarded-host');
  const [finding] = await assessAll({ ...small, transport }, { ...VERDICTS_ALONE, controls });
  return { ...finding?.verdict, seen };
}

const lead = (location: string) => new Response(null, { status: 301, headers: { location } });
const FOREIGN = 'https://unregistered.example';

test('a sound server passes, and no address is read that others read', async () => {
  const { kind, seen } = await judge((_request, _url, sound) => sound());
  expect(kind).toBe('passed');
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.every((address) => new URL(address).searchParams.has('sluice'))).toBe(true);
});

test.each<[string, Answer]>([
  [
    'refuses the header everywhere',
    async (request, _url, sound) =>
      namesHost(request) ? new Response('<h1>Bad Request (400)</h1>', { status: 400 }) : sound(),
  ],
  [
    'has moved its metadata',
    async (_request, { pathname }, sound) => {
      if (pathname === '/metadata') return sound(OAUTH);
      return pathname.startsWith('/.well-known') ? lead('/metadata') : sound();
    },
  ],
  [
    'removes the query by a redirect',
    async (_request, { pathname, search }, sound) =>
      pathname.startsWith('/.well-known') && search !== '' ? lead(pathname) : sound(),
  ],
])('a server that %s passes', async (_what, answer) => {
  expect(await judge(answer)).toMatchObject({ kind: 'passed' });
});

test.each<[string, Answer]>([
  [
    'an alias',
    async (request, { pathname }, sound) => {
      const response = await sound();
      if (pathname !== OAUTH || !namesHost(request)) return response;
      return Response.json({
        ...(await response.json()),
        mtls_endpoint_aliases: { token_endpoint: `${FOREIGN}/token` },
      });
    },
  ],
  [
    'the second document',
    async (request, { pathname }, sound) =>
      pathname === OPENID ? Response.json({ issuer: namesHost(request) ? FOREIGN : ORIGIN }) : sound(),
  ],
  [
    'a redirect',
    async (request, { pathname }, sound) =>
      pathname === OPENID && namesHost(request) ? lead(`${FOREIGN}${OPENID}`) : sound(),
  ],
])('a host in %s of the metadata fails', async (_what, answer) => {
  expect(await judge(answer)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('the metadata') });
});

test('metadata that fails with the header is undecided, with its status', async () => {
  const answer: Answer = async (request, { pathname }, sound) =>
    pathname === OAUTH && namesHost(request) ? new Response('down', { status: 503 }) : sound();
  expect(await judge(answer)).toMatchObject({ kind: 'inconclusive', reason: expect.stringContaining('503') });
});
