import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { assessServer, everythingOf, idsOf } from '@/tests/fixtures/assess-server';
import { nodeOAuthServer } from '@/tests/fixtures/node-oauth-server';
import { CLIENTS, oidcServer, REDIRECT_URI } from '@/tests/fixtures/oidc-server';

/** A server of which only the metadata counts, on a clock that moves only when somebody sleeps. */
async function paced(
  answer: (asked: number) => Response,
  changes: object = {},
): Promise<{ sentAt: number[]; slept: number }> {
  let now = 0;
  const sentAt: number[] = [];
  const server = ServerTargetInput.parse({ issuer: 'https://login.example', ...changes });
  const target = createRemoteTarget(server, {
    now: () => now,
    transport: async () => {
      sentAt.push(now);
      return answer(sentAt.length);
    },
  });
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  const controls = CATALOGUE.filter(({ id }) => id === 'pkce-advertised' || id === 'jwks-strength');
  await assessAll(target, { clock: () => now, sleep, random: (length) => randomBytes(length), controls });
  return { sentAt, slept: now };
}

const metadata = () => Response.json({ issuer: 'https://login.example', jwks_uri: 'https://login.example/jwks' });
const busy = (after: string) => new Response('', { status: 429, headers: { 'retry-after': after } });

describe('the pace of an assessment', () => {
  test('is as many requests a second as were asked for', async () => {
    const { sentAt } = await paced(metadata, { requests_per_second: 2 });
    expect(sentAt.length).toBeGreaterThan(1);
    expect(
      sentAt
        .slice(1)
        .map((at, index) => at - (sentAt[index] ?? 0))
        .every((gap) => gap >= 500),
    ).toBe(true);
  });

  test('waits as long as the server says, in seconds or until a date', async () => {
    expect((await paced((asked) => (asked === 1 ? busy('7') : metadata()))).sentAt[1]).toBe(7000);
    const date = new Date(20_000).toUTCString();
    expect((await paced((asked) => (asked === 1 ? busy(date) : metadata()))).sentAt[1]).toBe(20_000);
  });

  test.each(['3600', '-1', 'soon', ''])('does not wait for "%s"', async (after) => {
    expect((await paced(() => busy(after))).slept).toBe(0);
  });

  test('waits no more than three minutes in all', async () => {
    expect((await paced(() => busy('50'))).slept).toBeLessThanOrEqual(180_000);
  });
});

describe('what an assessment goes through', () => {
  test('a session whose cookies rotate, and a grant that ends, cost no verdict', async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const controls = ['code-single-use', 'code-race', 'refresh-race', 'refresh-rotation', 'pkce-verified'];
    const seen = await assessServer(everythingOf(server, { cookie: await server.signIn() }), { controls });
    expect(idsOf(seen, 'passed')).toEqual([...controls].sort());
    // Harmless first: what may end a grant comes last.
    expect(seen.findings[0]?.control).toBe('pkce-verified');
  });

  test('endpoints by hand stand for metadata that is not there', async () => {
    await using server = await nodeOAuthServer({ metadata: false });
    const { issuer } = server;
    const seen = await assessServer(
      {
        endpoints: { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        client: { client_id: CLIENTS.main, redirect_uri: REDIRECT_URI },
        scope: 'read profile',
        resource: { url: server.resource, scope: 'read' },
      },
      { controls: ['strict-redirect-uri', 'code-single-use', 'require-pkce'] },
    );
    expect(idsOf(seen, 'passed')).toEqual(['code-single-use', 'strict-redirect-uri']);
    expect(idsOf(seen, 'failed')).toEqual(['require-pkce']);
    expect(seen.preflight.find(({ what }) => what === 'metadata')).toMatchObject({ ok: null });
  });

  test('a stop ends it: nothing more is sent', async () => {
    await using server = await oidcServer({ consent: 'first-party' });
    const stop = new AbortController();
    const seen = await assessServer(everythingOf(server, { cookie: await server.signIn() }), {
      signal: stop.signal,
      transport: (request, send) => {
        if (request.url.includes('/token')) stop.abort();
        return send(request);
      },
    });
    expect(seen.requests).toBeLessThan(20);
    expect(seen.findings).toEqual([]);
  });
});
