import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import { CONTROLS } from '@/lib/oauth/report/describe-control';
import { formatHtmlReport } from '@/lib/oauth/report/html';
import { formatJUnitReport } from '@/lib/oauth/report/junit';
import { buildReport, type Report } from '@/lib/oauth/report/report';
import { summarize } from '@/lib/oauth/report/summary';
import { sharedBrowser } from '../../fixtures/browser';

const HOSTILE =
  '</script><script>document.title = "run"</script><img src=x onerror="document.title = 1"> ]]> \u0000 \ud800';
const KINDS = ['failed', 'passed', 'inconclusive', 'not_applicable'] as const;

/** Every control of the catalogue, with every verdict, and a server that answers what it likes. */
const findings: KeptFindings = CONTROLS.map(({ id }, index) => ({
  control: id,
  verdict: KINDS[index % 4] ?? 'passed',
  reason: `The server accepted: ${HOSTILE}${'x'.repeat(300)}`,
  exchanges: [
    {
      label: 'A request',
      request: { method: 'GET', url: `https://login.example.com/?${'y'.repeat(500)}`, headers: [], body: '' },
      response: { status: 200, headers: [['x-echo', HOSTILE]], body: HOSTILE },
      startedAt: 0,
      durationMs: 1,
    },
  ],
}));
const accepted = { reason: HOSTILE, until: null, by: 'a@example.com', at: '2026-11-01T00:00:00.000Z' };
const report: Report = buildReport({
  assessment: {
    ...{
      id: 'f2b7b8f0-0000-4000-8000-000000000000',
      name: HOSTILE,
      kind: 'server',
      target: 'https://login.example.com',
    },
    ...{ state: 'finished', started_at: '2026-11-21T10:00:00.000Z', started_by: 'someone', build: '1', duration_ms: 1 },
    summary: summarize(findings),
  },
  preflight: [{ what: 'metadata', ok: false, text: HOSTILE }],
  findings,
  accepted: new Map([[findings[0]?.control ?? '', accepted]]),
});

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

describe('a report as HTML', () => {
  test.each([1440, 390])('fits %i px, runs nothing, loads nothing and prints', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', ({ url }) => void requests.push(url()));
    await page.setContent(formatHtmlReport(report));
    expect(await page.title()).toContain('</script>');
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect([complaints, requests]).toEqual([[], []]);
    expect(await page.locator('article').count()).toBe(report.summary.failed);
    expect(await page.locator('article').first().textContent()).toContain('What an attacker gains.');
    expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
    await page.close();
  });
});

test('a report as JUnit is well-formed, and its counts are right', async () => {
  const page = await browser.newPage();
  const seen = await page.evaluate((xml) => {
    const parsed = new DOMParser().parseFromString(xml, 'application/xml');
    const count = (name: string) => parsed.getElementsByTagName(name).length;
    const suite = parsed.getElementsByTagName('testsuite')[0];
    const said = (name: string) => Number(suite?.getAttribute(name));
    return {
      counted: [count('testcase'), count('failure'), count('error'), count('skipped'), count('parsererror')],
      said: [said('tests'), said('failures'), said('errors'), said('skipped'), 0],
    };
  }, formatJUnitReport(report));
  expect(seen.counted).toEqual(seen.said);
  expect(seen.said[0]).toBe(CONTROLS.length);
  expect(seen.said[1]).toBe(report.summary.failed - 1);
  await page.close();
});
