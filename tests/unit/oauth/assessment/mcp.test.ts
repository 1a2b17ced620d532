import { describe, expect, test } from 'vitest';
import { type Assessed, assessServer, idsOf } from '@/tests/fixtures/assess-server';
import { type McpServerOptions, mcpServer } from '@/tests/fixtures/mcp-server';
import { CLIENTS, oidcServer, REDIRECT_URI } from '@/tests/fixtures/oidc-server';

/** What MCP's authorization specification asks of the resource and of its authorization server. */
const ASKED = [
  'pkce-advertised',
  'pkce-s256',
  'protected-resource-metadata',
  'require-pkce',
  'resource-audience',
  'token-passthrough',
  'www-authenticate',
];

async function assessMcp(options: McpServerOptions, changes: object = {}): Promise<Assessed & { sessions: number }> {
  const resources: string[] = [];
  await using provider = await oidcServer({ consent: 'first-party', resources: () => resources });
  await using mcp = await mcpServer(provider.issuer, options);
  resources.push(mcp.url);
  const client = { client_id: CLIENTS.main, redirect_uri: REDIRECT_URI };
  const description = { resource_url: mcp.url, client, cookie: await provider.signIn(), ...changes };
  const seen = await assessServer(description, { controls: [...ASKED, 'tls', 'authorization-header'] });
  return { ...seen, sessions: mcp.sessions() };
}

const reasonOf = ({ findings }: Assessed, id: string) => findings.find(({ control }) => control === id)?.verdict;

describe('an MCP server by its URL', () => {
  test('that keeps to the specification', async () => {
    const seen = await assessMcp({});
    expect(seen.preflight.filter(({ ok }) => ok === false)).toEqual([]);
    expect(seen.preflight.find(({ what }) => what === 'resource')?.text).toMatch(/its metadata names http/);
    expect(idsOf(seen, 'passed')).toEqual(['authorization-header', ...ASKED, 'tls'].sort());
    expect(idsOf(seen, 'passed')).toEqual(['authorization-header', ...ASKED, 'tls'].sort());
    expect(seen.sessions).toBeGreaterThan(2);
  });

  test('is found without a header, by the well-known address', async () => {
    const seen = await assessMcp({ challenge: 'bare' });
    expect(reasonOf(seen, 'resource-audience')).toMatchObject({ kind: 'passed' });
    expect(reasonOf(seen, 'protected-resource-metadata')).toMatchObject({ kind: 'passed' });
  });

  test('without metadata leads nowhere', async () => {
    const seen = await assessMcp({ challenge: 'none' });
    expect(reasonOf(seen, 'protected-resource-metadata')).toMatchObject({ kind: 'failed' });
    expect(seen.preflight.find(({ what }) => what === 'metadata')).toMatchObject({ ok: false });
    expect(idsOf(seen, 'passed')).not.toContain('require-pkce');
  });

  test('with metadata about another resource', async () => {
    const seen = await assessMcp({ isAboutAnother: true });
    expect(reasonOf(seen, 'protected-resource-metadata')).toMatchObject({ kind: 'failed' });
  });

  test('that takes tokens for others', async () => {
    const seen = await assessMcp({ takesAnyToken: true });
    expect(reasonOf(seen, 'token-passthrough')).toMatchObject({ kind: 'failed' });
    expect(reasonOf(seen, 'resource-audience')).toMatchObject({ kind: 'passed' });
  });

  test('alone is enough for a first result', async () => {
    const seen = await assessMcp({}, { client: undefined, cookie: undefined });
    expect(idsOf(seen, 'passed')).toEqual([
      'pkce-advertised',
      'protected-resource-metadata',
      'tls',
      'www-authenticate',
    ]);
  });
});
