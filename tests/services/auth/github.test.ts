import { createServer } from 'node:http';
import { afterAll, expect, it, vi } from 'vitest';
import { BAD_RECEIVER_NAMES, startBadReceiver } from '@/tests/fixtures/bad-receivers';
import { close, listen } from '@/tests/fixtures/listen';
import { until } from '@/tests/fixtures/until';

/** Where GitHub is, by the client id of the sign-in. */
const places = vi.hoisted(() => new Map<string, { web: string; api: string }>());
vi.mock('@/lib/auth/next-auth/providers', async (original) => {
  const providers = await original<typeof import('@/lib/auth/next-auth/providers')>();
  const buildProviders: typeof providers.buildProviders = ({ GITHUB_CLIENT_ID: id = '' }) => [
    providers.buildGitHubProvider(id, 'a-secret', places.get(id)),
  ];
  return { ...providers, buildProviders };
});

// Loads the modules again with these providers. Later files load them without.
vi.resetModules();
const { readSession } = await import('@/lib/auth/session');
const { sessions } = await import('@/drizzle/schema');
const { authServices, servicesOn } = await import('@/tests/fixtures/auth-services');
const { BrowserJar } = await import('@/tests/fixtures/browser-jar');
afterAll(() => {
  vi.resetModules();
});

const ANSWERS: Record<string, unknown> = {
  '/login/oauth/access_token': { access_token: 'gho_token', token_type: 'bearer', scope: 'read:user,user:email' },
  '/user': { id: 583_231, login: 'ada', name: null },
  '/user/emails': [{ email: 'ada@example.com', primary: true, verified: true }],
};

/** GitHub, as far as a sign-in can tell. */
async function startGitHub(seen: string[] = []) {
  const server = createServer((request, response) => {
    const answer = ANSWERS[request.url ?? ''];
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, [Symbol.asyncDispose]: () => close(server) };
}

type Auth = Awaited<ReturnType<typeof authServices>>;

/** Signs in up to the page that the browser is led to. */
async function signIn(auth: Auth, id: string, web: string, api: string) {
  places.set(id, { web, api });
  const github = { GITHUB_CLIENT_ID: id, GITHUB_CLIENT_SECRET: 'a-secret' };
  const jar = new BrowserJar(await servicesOn(auth.file.database, github, auth.services.clock));
  const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
  const left = (await (await jar.send('POST', '/api/auth/signin/github', form)).json()) as { url: string };
  const state = new URL(left.url).searchParams.get('state') ?? '';
  const query = new URLSearchParams({ code: 'a-code', state });
  const response = await jar.send('GET', `/api/auth/callback/github?${query}`);
  return { jar, location: response.headers.get('location') };
}

it('a sign-in with GitHub asks for a token, the account and its addresses', async () => {
  using auth = await authServices();
  await auth.member('ada@example.com', 'operator');
  const seen: string[] = [];
  await using github = await startGitHub(seen);
  const { jar, location } = await signIn(auth, 'good', github.url, github.url);
  expect(location).toBe('http://sluice.test/');
  expect(await readSession(jar.cookieHeader, auth.services)).toMatchObject({ email: 'ada@example.com' });
  expect(seen).toEqual([
    expect.stringMatching(/^POST \/login\/oauth\/access_token/),
    'GET /user Bearer gho_token',
    'GET /user/emails Bearer gho_token',
  ]);
});

it.each(['token endpoint', 'API'])('every bad receiver is survived as %s of GitHub', async (part) => {
  using auth = await authServices();
  await auth.member('ada@example.com', 'operator');
  const seen: string[] = [];
  await using github = await startGitHub(seen);
  await Promise.all(
    BAD_RECEIVER_NAMES.map(async (name) => {
      await using receiver = await startBadReceiver(name);
      const bad = receiver.url.replace(/\/$/, '');
      const [web, api] = part === 'API' ? [github.url, bad] : [bad, github.url];
      const { jar, location } = await signIn(auth, name, web, api);
      expect(location, name).toMatch(/^http:\/\/sluice\.test\/sign-in\?error=Provider(?:Down|Misconfigured)$/);
      expect(await readSession(jar.cookieHeader, auth.services), name).toBeNull();
      await until(() => receiver.countOpen() === 0, 60_000).catch(() => expect.fail(`${name} holds a connection`));
      expect(receiver.lured, name).toBe(0);
      expect(receiver.sent, name).toBeLessThan(100_000_000);
    }),
  );
  expect(await auth.file.database.drizzle.$count(sessions)).toBe(0);
  // Without a token, the API is not asked.
  if (part === 'token endpoint') expect(seen).toEqual([]);
});
