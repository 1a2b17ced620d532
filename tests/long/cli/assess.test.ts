import { expect, it, onTestFinished } from 'vitest';
import { commandLine } from '@/tests/fixtures/command-line';
import { mcpServer } from '@/tests/fixtures/mcp-server';
import { CLIENTS, oidcServer, SCOPE } from '@/tests/fixtures/oidc-server';
import { assessInBrowser } from './assess-in-browser';

it('sluice oauth assess needs only the URL of an MCP server where clients register themselves', async () => {
  const sluice = await commandLine();
  onTestFinished(() => sluice.remove());
  const resources: string[] = [];
  await using open = await oidcServer({ consent: 'ask', registration: 'removable', resources: () => resources });
  await using mcp = await mcpServer(open.issuer);
  resources.push(mcp.url);
  const { code, report, stderr } = await assessInBrowser(sluice, mcp.url, open.issuer, []);
  expect({ code, state: report.state }).toEqual({ code: 0, state: 'finished' });
  expect(report.summary.grade).not.toBeNull();
  expect(stderr).not.toContain('registration_access_token');
  const { inconclusive } = report.summary;
  expect(report.findings.length - inconclusive).toBeGreaterThanOrEqual(60);
});

it('sluice oauth assess lets a person sign in once in a browser that comes back to this machine', async () => {
  const sluice = await commandLine();
  onTestFinished(() => sluice.remove());
  // One that lets a native client choose its port (RFC 8252 section 7.3).
  await using strict = await oidcServer({ consent: 'ask' });
  const client = ['--client-id', CLIENTS.native, '--redirect-uri', 'http://127.0.0.1/callback', '--scope', SCOPE];
  const { code, report, visits } = await assessInBrowser(sluice, strict.issuer, strict.issuer, client);
  expect({ code, state: report.state }).toEqual({ code: 0, state: 'finished' });
  expect(visits).toBeGreaterThan(10);
  const passed = report.findings.filter(({ verdict }) => verdict === 'passed').map(({ control }) => control);
  expect(passed).toEqual(expect.arrayContaining(['require-pkce', 'strict-redirect-uri', 'code-single-use']));
});
