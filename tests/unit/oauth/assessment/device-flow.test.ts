import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Transport } from '@/lib/oauth/assessment/target';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { DEVICE_CLIENTS } from '@/lib/oauth/controls/token/device-clients';
import { DEVICE_FLOW } from '@/lib/oauth/controls/token/device-flow';
import { type Assessed, assessServer, everythingOf } from '@/tests/fixtures/assess-server';
import { CLIENTS, type OidcServerOptions, oidcServer, REDIRECT_URI } from '@/tests/fixtures/oidc-server';

const DEVICE = [...DEVICE_FLOW, ...DEVICE_CLIENTS].map(({ id }) => id);
const verdictsOf = ({ findings }: Pick<Assessed, 'findings'>): Record<string, VerdictKind> =>
  Object.fromEntries(findings.map(({ control, verdict }) => [control, verdict.kind]));
const reasonsOf = ({ findings }: Pick<Assessed, 'findings'>) =>
  findings.map(({ control, verdict }) => `${control}: ${verdict.kind}, ${verdict.reason}`).join('\n');
const all = (kind: VerdictKind, others: Record<string, VerdictKind> = {}) => ({
  ...Object.fromEntries(DEVICE.map((id) => [id, kind])),
  ...others,
});

/** Controls of answers that nobody needs to agree for. */
const READ = ['device-code-entropy', 'user-code-entropy', 'device-verification-uri'];
const passedAlone = (kind: VerdictKind) => all(kind, Object.fromEntries(READ.map((id) => [id, 'passed' as const])));

interface Given {
  server?: Partial<OidcServerOptions>;
  /** Changes of the description; null leaves the session out. */
  changes?: object;
  transport?: (request: Request, send: Transport) => Promise<Response>;
}

/** Assesses oidc-provider. The time of both moves only by waiting. */
async function assessDevices({ server: options, changes = {}, transport }: Given = {}) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const waits: number[] = [];
  const time = {
    clock: () => Date.now(),
    async sleep(milliseconds: number) {
      waits.push(milliseconds);
      vi.setSystemTime(Date.now() + milliseconds);
    },
  };
  await using server = await oidcServer({ consent: 'first-party', devices: 'all', ...options });
  const cookie = await server.signIn();
  const description = everythingOf(server, { cookie, patience_seconds: 700, ...changes });
  const own = transport === undefined ? {} : { transport };
  const seen = await assessServer(description, { controls: DEVICE, time, ...own });
  return { ...seen, waits };
}

const isAt = (request: Request, path: string) => new URL(request.url).pathname === path;
const AUTHORIZATION = '/device/auth';

describe('the device grant of oidc-provider', () => {
  test.each(['ask', 'first-party'] as const)('is sound (%s)', async (consent) => {
    const seen = await assessDevices({ server: { consent } });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('passed'));
    expect(seen.preflight.filter(({ ok }) => ok !== true)).toEqual([]);
  });

  test('is sound with a page that asks for the user code', async () => {
    const seen = await assessDevices({
      async transport(request, send) {
        const answer = await send(request);
        if (!isAt(request, AUTHORIZATION) || answer.status !== 200) return answer;
        const { verification_uri_complete: _, ...body } = await answer.json();
        return Response.json(body);
      },
    });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('passed', { 'device-consent': 'not_applicable' }));
  });

  test('is not judged where it is not offered, or no client may use it', async () => {
    const absent = await assessDevices({ server: { devices: undefined } });
    expect(verdictsOf(absent), reasonsOf(absent)).toEqual(all('not_applicable'));
    const refused = await assessDevices({ server: { devices: 'none' } });
    expect(verdictsOf(refused), reasonsOf(refused)).toEqual(all('not_applicable'));
    expect(reasonsOf(refused)).toContain('No given client may use the device grant');
  });

  test('is judged by the clients that may use it', async () => {
    const seen = await assessDevices({ server: { devices: 'public' } });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(
      all('passed', { 'device-client-authentication': 'not_applicable' }),
    );
  });

  test('is undecided without a second client', async () => {
    const seen = await assessDevices({ changes: { other_client: undefined, native_client: undefined } });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(
      all('passed', { 'device-code-client-binding': 'inconclusive', 'device-client-authentication': 'inconclusive' }),
    );
  });

  test.each([
    ['nobody', {}],
    ['a browser that does not come back', { login: 'browser' }],
  ])('is undecided with %s to agree', async (_who, login) => {
    const seen = await assessDevices({ changes: { cookie: undefined, ...login } });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(passedAlone('inconclusive'));
  });

  test('is undecided where the lifetime cannot be waited for, and nobody is asked to agree for it', async () => {
    const seen = await assessDevices({ changes: { patience_seconds: 1 } });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('passed', { 'device-code-lifetime': 'inconclusive' }));
    const finding = seen.findings.find(({ control }) => control === 'device-code-lifetime');
    expect(finding?.exchanges.some(({ label }) => label.startsWith('Agree'))).toBe(false);
  });

  test('shows neither device codes nor user codes in its evidence', async () => {
    const codes = new Set<string>();
    const seen = await assessDevices({
      async transport(request, send) {
        const answer = await send(request);
        if (!isAt(request, AUTHORIZATION) || answer.status !== 200) return answer;
        const body = await answer.json();
        for (const code of [body.device_code, body.user_code]) codes.add(code);
        return Response.json(body);
      },
    });
    expect(codes.size).toBeGreaterThan(20);
    const evidence = JSON.stringify(seen.steps);
    expect([...codes].filter((code) => evidence.includes(code))).toEqual([]);
  });
});

describe('a server in front of which something stands', () => {
  const walls: Record<string, () => Response> = {
    'an HTML 404': () => new Response('<p>Not found</p>', { status: 404, headers: { 'content-type': 'text/html' } }),
    'a bare 403': () => new Response('Forbidden', { status: 403 }),
    'a fault': () => Response.json({ error: 'server_error' }, { status: 500 }),
    'a rate limit': () => new Response('Slow down', { status: 429 }),
    'a page for everything': () => new Response('<title>Sign in</title>', { headers: { 'content-type': 'text/html' } }),
  };

  test.each(Object.keys(walls))('%s in place of the device authorization endpoint decides nothing', async (name) => {
    const transport = async (request: Request, send: Transport) =>
      isAt(request, AUTHORIZATION) ? (walls[name]?.() ?? Response.error()) : send(request);
    const seen = await assessDevices({ transport });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('inconclusive'));
  });

  test.each(Object.keys(walls))('%s in place of the verification page fails nothing', async (name) => {
    const transport = async (request: Request, send: Transport) =>
      isAt(request, '/device') ? (walls[name]?.() ?? Response.error()) : send(request);
    const seen = await assessDevices({ transport });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(passedAlone('inconclusive'));
  });

  test('slow_down is waited for', async () => {
    const polled = new Set<string>();
    const seen = await assessDevices({
      async transport(request, send) {
        const code = isAt(request, '/token')
          ? new URLSearchParams(await request.clone().text()).get('device_code')
          : null;
        if (code === null || polled.has(code)) return send(request);
        polled.add(code);
        return Response.json({ error: 'slow_down' }, { status: 400 });
      },
    });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('passed'));
    expect(seen.waits.filter((milliseconds) => milliseconds === 10_000).length).toBeGreaterThan(3);
  });

  test('no poll waits where another device code can be polled', async () => {
    const polled = new Set<string>();
    const redeemed = new Set<string>();
    const seen = await assessDevices({
      async transport(request, send) {
        const code = isAt(request, '/token')
          ? new URLSearchParams(await request.clone().text()).get('device_code')
          : null;
        if (code === null || redeemed.has(code)) return send(request);
        if (polled.has(code)) return Response.json({ error: 'slow_down' }, { status: 400 });
        polled.add(code);
        const answer = await send(request);
        if (answer.ok) redeemed.add(code);
        return answer;
      },
    });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('passed'));
    expect(seen.waits.filter((milliseconds) => milliseconds === 10_000)).toEqual([]);
  });

  test('parallel polls that it does not answer decide nothing', async () => {
    const pending = new Set<string>();
    const seen = await assessDevices({
      async transport(request, send) {
        const code = isAt(request, '/token')
          ? new URLSearchParams(await request.clone().text()).get('device_code')
          : null;
        if (code === null) return send(request);
        if (pending.has(code)) return new Response('Busy', { status: 503 });
        pending.add(code);
        return send(request).finally(() => pending.delete(code));
      },
    });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('passed', { 'device-code-single-use': 'inconclusive' }));
    expect(reasonsOf(seen)).toContain('Undecided for poll in parallel: There was no race: few requests were answered.');
  });

  test('slow_down for ever decides nothing', async () => {
    const seen = await assessDevices({
      async transport(request, send) {
        const isPoll = isAt(request, '/token') && (await request.clone().text()).includes('device_code');
        return isPoll ? Response.json({ error: 'slow_down' }, { status: 400 }) : send(request);
      },
    });
    expect(verdictsOf(seen), reasonsOf(seen)).toEqual(passedAlone('inconclusive'));
  });
});

test('a confidential main client is judged, too', async () => {
  const client = {
    client_id: CLIENTS.main,
    redirect_uri: REDIRECT_URI,
    authentication: 'post',
    secret: CLIENTS.secret,
  };
  const seen = await assessDevices({ server: { confidential: true }, changes: { client } });
  expect(verdictsOf(seen), reasonsOf(seen)).toEqual(all('passed'));
});
