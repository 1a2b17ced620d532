import { expect, it, onTestFinished } from 'vitest';
import { commandLine } from '@/tests/fixtures/command-line';
import { mcpServer } from '@/tests/fixtures/mcp-server';
import { oidcServer } from '@/tests/fixtures/oidc-server';
import { assessInBrowser } from '@/tests/services/cli/assess-in-browser';

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
