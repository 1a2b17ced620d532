import { expect, test } from 'vitest';
import { packFindings, unpackFindings } from '@/lib/admin/assessments/packed-findings';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import { CONTROLS } from '@/lib/oauth/report/describe-control';
import { buildReport, buildReportJson } from '@/lib/oauth/report/report';
import { restoreExchanges, shareExchanges } from '@/lib/oauth/report/share-exchanges';
import { summarize } from '@/lib/oauth/report/summary';

const exchange = (label: string, body: string) => ({
  label,
  request: { method: 'GET', url: `https://login.example.com/${label}`, headers: [], body: '' },
  response: { status: 200, headers: [['content-type', 'text/html']] as [string, string][], body },
  startedAt: 1,
  durationMs: 2,
});
const withExchanges = (control: string, ...exchanges: ReturnType<typeof exchange>[]) => ({
  ...{ control, verdict: 'failed' as const, reason: 'x' },
  exchanges,
});
const metadata = () => exchange('metadata', '{"issuer":"https://login.example.com"}');

test('an exchange stands once, however many findings have it', async () => {
  const findings = [
    withExchanges('tls', metadata(), metadata(), exchange('a', 'a')),
    withExchanges('par', metadata(), exchange('b', 'b')),
  ];
  const shared = shareExchanges(findings);
  expect(shared.findings.map(({ exchanges }) => exchanges)).toEqual([
    ['e1', 'e2'],
    ['e1', 'e3'],
  ]);
  const once = [withExchanges('tls', metadata(), exchange('a', 'a')), findings[1]];
  expect(restoreExchanges(shared)).toEqual(once);
  expect(await unpackFindings(await packFindings(findings))).toEqual(once);
});

test('a report has the exchanges of all findings, of one, or of none, always by the same ids', () => {
  const findings = [
    withExchanges('tls', metadata(), exchange('a', 'a')),
    withExchanges('par', metadata(), exchange('b', 'b')),
  ];
  const which = (control: string) => shareExchanges(findings, (finding) => finding.control === control);
  const all = shareExchanges(findings);
  expect(which('par')).toEqual({ findings: all.findings, exchanges: { e1: metadata(), e3: exchange('b', 'b') } });
  expect(which('none')).toEqual({ findings: all.findings, exchanges: {} });
});

test('a report in JSON stays below 2 MB, whatever the server answers', () => {
  const page = 'é"\\'.repeat(16_000);
  const findings: KeptFindings = CONTROLS.map(({ id }, index) =>
    withExchanges(id, metadata(), ...Array.from({ length: 12 }, (_, at) => exchange(`${index}-${at}`, page))),
  );
  const about = { id: crypto.randomUUID(), name: 'x', kind: 'server' as const, target: 'https://login.example.com' };
  const run = { state: 'finished' as const, started_at: '2026-11-27T10:00:00.000Z', started_by: 'x', build: '1' };
  const assessment = { ...about, ...run, duration_ms: 1, summary: summarize(findings) };
  const json = buildReportJson(buildReport({ assessment, preflight: [], findings }));
  expect(JSON.stringify(json, null, 2).length).toBeLessThan(2_000_000);
  expect(Object.keys(json.exchanges)).toHaveLength(CONTROLS.length * 12 + 1);
  expect(json.exchanges.e2?.response.body).toMatch(/… \(\d+ of 48000 characters\)$/);
});
