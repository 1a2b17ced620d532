import { readFileSync } from 'node:fs';
import Ajv from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { toHtml } from '@/lib/oauth/report/html';
import { toJUnit } from '@/lib/oauth/report/junit';
import { toMarkdown } from '@/lib/oauth/report/markdown';
import { compareWithBaseline, type Report, type ReportFinding, summarize } from '@/lib/oauth/report/report';
import { toSarif } from '@/lib/oauth/report/sarif';
import { stateOfThreat, THREATS } from '@/lib/oauth/report/threats';

const catalogue = new Map(CATALOGUE.map(({ evaluate: _, ...description }) => [description.id, description]));
const now = new Date('2026-11-22T00:00:00Z');

const finding = (control: string, verdict: VerdictKind, more: Partial<ReportFinding> = {}): ReportFinding => ({
  control,
  verdict,
  reason: `<b>"${verdict}"</b> & more`,
  exchanges: [
    {
      label: 'A request',
      request: {
        method: 'GET',
        url: 'https://login.example.com/authorize?state=x',
        headers: [['accept', '*/*']],
        body: '',
      },
      response: {
        status: 400,
        headers: [['content-type', 'text/html']],
        body: '</script><script>alert(1)</script> ``` ]]>',
      },
      startedAt: 0,
      durationMs: 1,
    },
  ],
  ...more,
});
const reportOf = (findings: ReportFinding[]): Report => ({
  id: 'f2b7b8f0-0000-4000-8000-000000000000',
  name: 'Login <of> "Example"',
  target: 'https://login.example.com',
  started_at: '2026-11-21T10:00:00.000Z',
  started_by: 'someone@example.com',
  build: '0.1.0',
  duration_ms: 1234,
  summary: summarize(findings, catalogue),
  findings,
});
const mixed = reportOf([
  finding('strict-redirect-uri', 'failed'),
  finding('require-pkce', 'failed', {
    accepted: {
      reason: 'Legacy & old',
      until: '2027-01-01T00:00:00Z',
      by: 'a@example.com',
      at: '2026-11-01T00:00:00Z',
    },
  }),
  finding('tls', 'passed'),
  finding('code-race', 'inconclusive', { exchanges: [] }),
  finding('par', 'not_applicable'),
]);

describe('the grade', () => {
  const gradeOf = (...findings: [string, VerdictKind][]) =>
    summarize(
      findings.map(([control, verdict]) => finding(control, verdict)),
      catalogue,
    ).grade;
  test.each([
    [[['tls', 'passed']], 'A'],
    [
      [
        ['tls', 'passed'],
        ['www-authenticate', 'failed'],
      ],
      'A',
    ],
    [
      [
        ['tls', 'passed'],
        ['par', 'inconclusive'],
      ],
      'A',
    ],
    [
      [
        ['tls', 'passed'],
        ['code-single-use', 'inconclusive'],
      ],
      'B',
    ],
    [
      [
        ['tls', 'passed'],
        ['metadata-consistent', 'failed'],
      ],
      'B',
    ],
    [
      [
        ['tls', 'passed'],
        ['refresh-rotation', 'failed'],
      ],
      'C',
    ],
    [
      [
        ['refresh-rotation', 'failed'],
        ['pkce-s256', 'failed'],
        ['code-race', 'failed'],
      ],
      'D',
    ],
    [
      [
        ['tls', 'failed'],
        ['par', 'passed'],
      ],
      'F',
    ],
    [
      [
        ['tls', 'inconclusive'],
        ['par', 'not_applicable'],
      ],
      null,
    ],
  ] as [[string, VerdictKind][], string | null][])('of %j is %s', (findings, grade) => {
    expect(gradeOf(...findings)).toBe(grade);
  });
});

describe('a baseline', () => {
  test('tells new, fixed and unchanged findings apart', () => {
    const before = reportOf([
      finding('tls', 'failed'),
      finding('par', 'passed'),
      finding('code-race', 'failed'),
      finding('pkce-s256', 'failed'),
    ]);
    const after = reportOf([
      finding('tls', 'passed'),
      finding('par', 'failed'),
      finding('code-race', 'failed'),
      finding('pkce-s256', 'inconclusive'),
    ]);
    const changes = compareWithBaseline(after, before).findings.map(({ control, change }) => [control, change]);
    expect(changes).toEqual([
      ['tls', 'fixed'],
      ['par', 'new'],
      ['code-race', 'same'],
      ['pkce-s256', 'same'],
    ]);
  });
});

describe('the formats', () => {
  test('SARIF fits the schema of OASIS, with and without a baseline', () => {
    const schema = JSON.parse(
      readFileSync('node_modules/@microsoft/sarif-matcher-utils/lib/schemas/sarif-2.1.0-rtm.5.json', 'utf8'),
    );
    const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
    addFormats(ajv as never);
    const validate = ajv.compile(schema);
    for (const report of [mixed, compareWithBaseline(mixed, mixed), reportOf([])]) {
      validate(toSarif(report, catalogue, now));
      expect(validate.errors).toBeNull();
    }
  });

  test('SARIF fails what failed, and suppresses what is accepted', () => {
    const { runs } = toSarif(mixed, catalogue, now) as { runs: { results: Record<string, unknown>[] }[] };
    const results = runs[0]?.results ?? [];
    expect(results.map(({ ruleId, kind, level }) => [ruleId, kind, level])).toEqual([
      ['strict-redirect-uri', 'fail', 'error'],
      ['require-pkce', 'fail', 'error'],
      ['code-race', 'open', 'none'],
      ['tls', 'pass', 'none'],
      ['par', 'notApplicable', 'none'],
    ]);
    expect(results[1]?.suppressions).toEqual([{ kind: 'external', status: 'accepted', justification: 'Legacy & old' }]);
  });

  test('JUnit counts failures, and skips what is accepted or undecided', () => {
    const text = toJUnit(mixed, catalogue, now);
    expect(text).toContain('tests="5" failures="1" errors="0" skipped="3"');
    expect(text).toContain('<failure type="critical" message="&lt;b&gt;&quot;failed&quot;&lt;/b&gt; &amp; more">');
    expect(text).toContain('<skipped message="accepted: Legacy &amp; old"/>');
    expect(toJUnit(mixed, catalogue, new Date('2027-06-01'))).toContain('failures="2"');
  });

  test('HTML runs nothing and loads nothing', () => {
    const page = toHtml(mixed, catalogue, now);
    expect(page).not.toMatch(/<script|<img|<link|src=/i);
    expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(1)');
    expect(page).toContain('Login &lt;of&gt; &quot;Example&quot;');
  });

  test('Markdown keeps hostile text as text', () => {
    const text = toMarkdown(mixed, catalogue);
    expect(text).toContain('# Login \\<of\\> "Example"');
    expect(text).toContain('````http\n400');
    expect(text).toContain('**Accepted** by a@example.com until 2027-01-01T00:00:00Z: Legacy \\& old');
  });
});

describe('threats', () => {
  test('are mitigated when all, open when none, partly when some of their controls hold', () => {
    const threat = { source: 'RFC 9700 4.7', title: 'CSRF', controls: ['a', 'b', 'c'] };
    const state = (...kinds: VerdictKind[]) =>
      stateOfThreat(threat, new Map(kinds.map((kind, at) => ['abc'[at] ?? '', kind])));
    expect(state('passed', 'passed', 'not_applicable')).toBe('mitigated');
    expect(state('failed', 'inconclusive')).toBe('open');
    expect(state('failed', 'passed')).toBe('partly');
    expect(state('inconclusive')).toBe('not judged');
  });

  test('name every section once', () => {
    expect(new Set(THREATS.map(({ source }) => source)).size).toBe(THREATS.length);
  });
});
