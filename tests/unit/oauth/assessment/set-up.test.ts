import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import type { Need } from '@/lib/oauth/controls/control';
import { type Assessed, assessServer, everythingOf, idsOf } from '@/tests/fixtures/assess-server';
import { CLIENTS, type OidcServerOptions, oidcServer, REDIRECT_URI } from '@/tests/fixtures/oidc-server';

const server = (options: Partial<OidcServerOptions> = {}) =>
  oidcServer({ consent: 'first-party', weakened: true, ...options });

/** The controls that were decided although they need what is wrong. */
const decidedBy = (seen: Assessed, need: Need) =>
  idsOf(seen, 'passed', 'failed').filter((id) => CATALOGUE.find((control) => control.id === id)?.needs.includes(need));
const checkOf = ({ preflight }: Assessed, what: string) => preflight.find((check) => check.what === what);

const alone = { other_client: undefined, native_client: undefined };
const main = { client_id: CLIENTS.main, redirect_uri: REDIRECT_URI };

describe('a set-up that is wrong is named, and proves nothing', () => {
  const wrong: Record<string, { changes: object; says: string }> = {
    'a misspelt client id': { changes: { client: { ...main, client_id: 'mian' } }, says: 'mian' },
    'another redirect URI': {
      changes: { client: { ...main, redirect_uri: 'https://app.example.org/callback' } },
      says: 'redirect URI',
    },
    'an unknown scope': { changes: { scope: 'openid raed', parameters: { resource: 'none' } }, says: 'scope' },
  };
  test.each(Object.keys(wrong))('%s', async (kind) => {
    await using provider = await server();
    const { changes = {}, says = '' } = wrong[kind] ?? {};
    const seen = await assessServer(everythingOf(provider, { ...alone, ...changes, cookie: await provider.signIn() }));
    expect(checkOf(seen, 'client')).toMatchObject({ ok: false, text: expect.stringContaining(says) });
    expect(decidedBy(seen, 'client')).toEqual([]);
    expect(seen.requests).toBeLessThan(100);
  });

  test('a wrong secret', async () => {
    await using provider = await server({ confidential: true });
    const client = { ...main, authentication: 'post', secret: 'not-it' };
    const seen = await assessServer(everythingOf(provider, { ...alone, client, cookie: await provider.signIn() }));
    expect(checkOf(seen, 'client')).toMatchObject({ ok: true });
    expect(checkOf(seen, 'credentials')).toMatchObject({ ok: false, text: expect.stringContaining('secret') });
    expect(decidedBy(seen, 'confidential client')).toEqual([]);
    // What the authorization endpoint alone decides is still decided.
    expect(idsOf(seen, 'failed')).toContain('strict-redirect-uri');
  });

  test('a wrong secret of the second client', async () => {
    await using provider = await server();
    const other_client = { client_id: CLIENTS.other, redirect_uri: REDIRECT_URI, authentication: 'post', secret: 'x' };
    const seen = await assessServer(everythingOf(provider, { other_client, cookie: await provider.signIn() }));
    expect(checkOf(seen, 'second client')).toMatchObject({ ok: false });
    expect(decidedBy(seen, 'second client')).toEqual([]);
    expect(idsOf(seen, 'passed')).toContain('pkce-verified');
  });

  test('a session that has ended', async () => {
    await using provider = await server();
    const seen = await assessServer(everythingOf(provider, { cookie: '_session=gone' }));
    expect(checkOf(seen, 'client')).toMatchObject({ ok: true });
    expect(checkOf(seen, 'session')).toMatchObject({ ok: false, text: expect.stringContaining('session') });
    expect(idsOf(seen, 'passed', 'failed')).not.toContain('code-single-use');
  });

  test('an address of a resource at which there is nothing', async () => {
    await using provider = await server();
    const resource = { url: `${provider.issuer}/no-such-thing`, scope: 'read' };
    const seen = await assessServer({ issuer: provider.issuer, resource });
    expect(checkOf(seen, 'resource')).toMatchObject({ ok: false, text: expect.stringContaining('is it right') });
    expect(decidedBy(seen, 'resource')).toEqual([]);
  });
});
