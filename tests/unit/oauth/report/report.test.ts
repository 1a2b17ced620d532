import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Ajv from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { CONTROLS } from '@/lib/oauth/report/describe-control';
import { FORMATS } from '@/lib/oauth/report/formats';
import { formatHtmlReport } from '@/lib/oauth/report/html';
import { judgeThreat } from '@/lib/oauth/report/judge-threat';
import { formatJUnitReport } from '@/lib/oauth/report/junit';
import { formatMarkdownReport } from '@/lib/oauth/report/markdown';
import { buildReport, findDecidingExchange } from '@/lib/oauth/report/report';
import { formatSarifReport } from '@/lib/oauth/report/sarif';
import { findSourceUrl } from '@/lib/oauth/report/sources';
import { summarize } from '@/lib/oauth/report/summary';
import { THREATS } from '@/lib/oauth/report/threats';

const require = createRequire(import.meta.url);

const finding = (control: string, verdict: VerdictKind): KeptFindings[number] => ({
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
});

const assessment = (findings: KeptFindings) => ({
  id: 'f2b7b8f0-0000-4000-8000-000000000000',
  name: 'Login <of> "Example"',
  kind: 'server' as const,
  target: 'https://login.example.com',
  state: 'finished' as const,
  started_at: '2026-11-21T10:00:00.000Z',
  started_by: 'someone@example.com',
  build: '0.1.0',
  duration_ms: 1234,
  summary: summarize(findings),
});
type Parts = Parameters<typeof buildReport>[0];
const reportOf = (findings: KeptFindings, more: Partial<Parts> = {}) =>
  buildReport({ assessment: assessment(findings), preflight: [], findings, ...more });
const baselineOf = (findings: KeptFindings): Partial<Parts> => ({
  baseline: { assessment: assessment(findings), findings },
});

const ACCEPTED = {
  reason: 'Legacy & old',
  until: '2027-01-01T00:00:00.000Z',
  by: 'a@example.com',
  at: '2026-11-01T00:00:00.000Z',
};
const findings = [
  finding('strict-redirect-uri', 'failed'),
  finding('require-pkce', 'failed'),
  finding('tls', 'passed'),
  { ...finding('code-race', 'inconclusive'), exchanges: [] },
  finding('par', 'not_applicable'),
];
const preflight = [{ what: 'metadata', ok: false, text: 'Published for <another> issuer.' }];
const accepted = new Map([
  ['require-pkce', ACCEPTED],
  ['tls', ACCEPTED],
]);
const mixed = reportOf(findings, { preflight, accepted });

describe('the grade', () => {
  const gradeOf = (...findings: [string, VerdictKind][]) =>
    summarize(findings.map(([control, verdict]) => ({ control, verdict }))).grade;
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
    [
      [
        ['tls', 'passed'],
        ['par', 'inconclusive'],
        ['pkce-s256', 'inconclusive'],
      ],
      null,
    ],
    [
      [
        ['tls', 'passed'],
        ['par', 'inconclusive'],
        ['code-race', 'inconclusive'],
        ['refresh-rotation', 'failed'],
      ],
      'C',
    ],
  ] as [[string, VerdictKind][], string | null][])('of %j is %s', (findings, grade) => {
    expect(gradeOf(...findings)).toBe(grade);
  });
});

describe('a baseline', () => {
  test('tells what is new, fixed, the same and not known any more', () => {
    const before = [
      finding('tls', 'failed'),
      finding('par', 'passed'),
      finding('code-race', 'failed'),
      finding('pkce-s256', 'failed'),
      finding('require-pkce', 'failed'),
      finding('require-state', 'passed'),
    ];
    const after = [
      finding('tls', 'passed'),
      finding('par', 'failed'),
      finding('code-race', 'failed'),
      finding('pkce-s256', 'inconclusive'),
      finding('require-state', 'passed'),
    ];
    const report = reportOf(after, baselineOf(before));
    expect(report).toMatchObject({
      new: ['par'],
      fixed: ['tls'],
      same: ['code-race'],
      unknown: ['pkce-s256', 'require-pkce'],
    });
    expect(Object.fromEntries(report.findings.map(({ control, change }) => [control, change]))).toEqual({
      ...{ tls: 'fixed', par: 'new', 'code-race': 'same', 'pkce-s256': 'unknown', 'require-state': 'same' },
    });
    expect(reportOf(after)).not.toHaveProperty('new');
  });
});

describe('the formats', () => {
  test('SARIF fits the schema of OASIS, with and without a baseline', () => {
    const schema = JSON.parse(
      readFileSync(require.resolve('@microsoft/sarif-matcher-utils/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8'),
    );
    const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
    addFormats(ajv as never);
    const validate = ajv.compile(schema);
    for (const report of [mixed, reportOf(findings, { preflight, accepted, ...baselineOf(findings) }), reportOf([])]) {
      validate(JSON.parse(formatSarifReport(report)));
      expect(validate.errors).toBeNull();
    }
  });

  test('SARIF fails what failed, and suppresses what is accepted', () => {
    const results = JSON.parse(formatSarifReport(mixed)).runs[0].results as Record<string, unknown>[];
    expect(results.map(({ ruleId, kind, level }) => [ruleId, kind, level])).toEqual([
      ['strict-redirect-uri', 'fail', 'error'],
      ['require-pkce', 'fail', 'error'],
    ]);
    expect(results.map(({ suppressions }) => suppressions)).toEqual([
      undefined,
      [{ kind: 'external', status: 'accepted', justification: 'Legacy & old' }],
    ]);
  });

  test('SARIF names a result alike in every run', () => {
    const prints = (name: string) => {
      const report = { ...mixed, id: crypto.randomUUID(), name, started_at: '2027-01-01T00:00:00.000Z' };
      return JSON.parse(formatSarifReport(report)).runs[0].results.map(
        (result: Record<string, unknown>) => result.partialFingerprints,
      );
    };
    expect(prints('One')).toEqual(prints('Another'));
    expect(new Set(prints('One').map((print: unknown) => JSON.stringify(print))).size).toBe(2);
  });

  test('SARIF says what became of each result since the baseline', () => {
    const before = [finding('tls', 'failed'), finding('require-pkce', 'failed'), finding('code-race', 'failed')];
    const results = JSON.parse(formatSarifReport(reportOf(findings, baselineOf(before)))).runs[0].results;
    expect(results.map(({ ruleId, baselineState }: Record<string, string>) => [ruleId, baselineState])).toEqual([
      ['strict-redirect-uri', 'new'],
      ['require-pkce', 'unchanged'],
    ]);
  });

  test('SARIF is what code hosts take: failures alone, each at a line of a path', () => {
    const [run] = JSON.parse(formatSarifReport(reportOf([...findings, finding('www-authenticate', 'failed')]))).runs;
    const { rules } = run.tool.driver;
    expect(run.results).toHaveLength(3);
    for (const { ruleId, ruleIndex, message, locations, partialFingerprints } of run.results) {
      expect(rules[ruleIndex].id).toBe(ruleId);
      expect(message.text).not.toBe('');
      const [{ physicalLocation }] = locations;
      expect(physicalLocation.region.startLine).toBeGreaterThanOrEqual(1);
      expect(physicalLocation.artifactLocation.uri).toMatch(/^(?!\/)[^:?#]+$/);
      expect(partialFingerprints.primaryLocationLineHash).toMatch(/^[\da-f]{16}:1$/);
    }
    for (const { shortDescription, fullDescription, help, properties } of rules) {
      for (const { text } of [shortDescription, fullDescription]) expect(text.length).toBeLessThanOrEqual(1024);
      expect(help.text).not.toBe('');
      expect(properties.tags.length).toBeLessThanOrEqual(20);
      expect(Number(properties['security-severity'])).toBeGreaterThan(0);
    }
  });

  test('JUnit counts failures, and skips what is accepted or undecided', () => {
    const text = formatJUnitReport(mixed);
    expect(text).toContain('tests="5" failures="1" errors="0" skipped="3"');
    expect(text).toContain('<failure type="critical" message="&lt;b&gt;&quot;failed&quot;&lt;/b&gt; &amp; more">');
    expect(text).toContain('<skipped message="accepted by a@example.com: Legacy &amp; old"/>');
    expect(formatJUnitReport(reportOf(findings))).toContain('failures="2"');
  });

  test('HTML runs nothing and loads nothing', () => {
    const page = formatHtmlReport(mixed);
    expect(page).not.toMatch(/<script|<img|<link|<iframe|src=|\son\w+=|style=/i);
    expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(1)');
    expect(page).toContain('<h1>Login &lt;of&gt; &quot;Example&quot;</h1>');
    expect(page).toMatch(/default-src 'none'; style-src 'sha256-[\w+/=]{44}'/);
  });

  test('Markdown keeps hostile text as text', () => {
    const hostile = { ...assessment(findings), name: '# <b> [x](javascript:alert) ![i](https://a.example) @all' };
    const text = formatMarkdownReport({ ...mixed, ...hostile });
    expect(text.split('\n')[0]).toBe(
      '# \\# \\<b\\> \\[x\\](javascript:alert) \\!\\[i\\](https<!-- -->://a.example) @<!-- -->all',
    );
    expect(text).toContain('````http\nHTTP 400');
    expect(text).toContain('**Accepted** by a@<!-- -->example.com until 2027-01-01 00:00 UTC: Legacy \\& old');
  });

  test.each([
    ['Markdown', formatMarkdownReport],
    ['HTML', formatHtmlReport],
  ])('%s says the grade, what is undecided, the set-up, the baseline and that it was stopped', (_name, write) => {
    const stopped = { ...mixed, ...assessment(findings), state: 'stopped' as const };
    const text = write({ ...stopped, ...reportOf(findings, baselineOf([])), preflight, state: 'stopped' });
    expect(text).toContain('Grade F: 2 failed, 1 passed, 1 undecided, 1 not applicable.');
    expect(text).toContain('Undecided controls are not counted as good.');
    expect(text).toContain('This assessment was stopped before its end');
    expect(text).toContain('2 new, 0 fixed, 0 still failed');
    expect(text).toMatch(/Published for (&lt;|\\<)another/);
    expect(text).toContain('RFC 9700 4.1');
  });
});

describe('findings of one cause', () => {
  const family = ['pkce-s256', 'pkce-method-downgrade', 'pkce-verified'].map((control) => finding(control, 'failed'));
  const report = reportOf([...family, finding('frame-protection', 'failed'), finding('tls', 'passed')]);

  test('stand side by side, the one that names it first', () => {
    expect(report.causes).toEqual([
      {
        control: 'pkce-verified',
        severity: 'critical',
        controls: ['pkce-verified', 'pkce-s256', 'pkce-method-downgrade'],
      },
      { control: 'frame-protection', severity: 'medium', controls: ['frame-protection'] },
    ]);
    expect(report.findings.map(({ control, cause }) => [control, cause])).toEqual([
      ['pkce-verified', 'pkce-verified'],
      ['pkce-s256', 'pkce-verified'],
      ['pkce-method-downgrade', 'pkce-verified'],
      ['frame-protection', 'frame-protection'],
      ['tls', undefined],
    ]);
  });

  test.each([
    ['Markdown', formatMarkdownReport, /^### /gm],
    ['HTML', formatHtmlReport, /<h3>/g],
  ])('are one chapter in %s', (_name, write, chapter) => {
    const text = write(report);
    expect(text.match(chapter)?.length).toBe(2);
    expect(text).toContain('Grade F: 4 failed (2 causes), 1 passed');
    expect(text.replace(/\\/g, '')).toMatch(/The same cause\..*pkce-s256.*pkce-method-downgrade/s);
  });
});

describe('an exchange', () => {
  const [first] = finding('tls', 'passed').exchanges;
  const labelled = (...labels: string[]) => labels.map((label) => ({ ...first!, label }));
  const shown = (reason: string, ...labels: string[]) =>
    findDecidingExchange(
      reportOf([{ ...finding('tls', 'failed'), reason, exchanges: labelled(...labels) }]).findings[0]!,
    )?.label;

  test('is shown that the reason names, not the valid request after it', () => {
    const tried = ['Ask for a code', 'Redeem with another client', 'Redeem it correctly'];
    expect(shown('The server accepted: another client.', ...tried)).toBe('Redeem with another client');
    expect(shown('The server accepted: a query.', 'A valid request', 'a path', 'a query', 'a dot')).toBe('a query');
    expect(shown('It was answered: with the client id alone.', 'With the client id alone', 'x')).toMatch(/^With/);
    expect(shown('The code worked twice.', 'Redeem a code correctly', 'Redeem it again')).toBe('Redeem it again');
    expect(shown('The refresh token worked twice.', 'Refresh', 'Refresh again', 'Read the metadata')).toBe(
      'Refresh again',
    );
  });
});

test('every source of every control can be read somewhere', () => {
  const sources = [...CONTROLS.flatMap(({ source }) => source), ...THREATS.map(({ source }) => source)];
  expect(sources.filter((source) => findSourceUrl(source) === undefined)).toEqual([]);
  expect(findSourceUrl('RFC 9700 4.1.3')).toBe('https://www.rfc-editor.org/rfc/rfc9700#section-4.1.3');
  expect(findSourceUrl('OpenID Connect Core 3.1.3.7')).toMatch(
    /openid-connect-core-1_0\.html#rfc\.section\.3\.1\.3\.7$/,
  );
});

describe('threats', () => {
  test('are mitigated when all, open when none, partly when some of their controls hold', () => {
    const threat = { source: 'RFC 9700 4.7', title: 'CSRF', controls: ['a', 'b', 'c'] };
    const state = (...kinds: VerdictKind[]) =>
      judgeThreat(threat, new Map(kinds.map((kind, at) => ['abc'[at] ?? '', kind])));
    expect(state('passed', 'passed', 'not_applicable')).toBe('mitigated');
    expect(state('passed', 'passed', 'inconclusive')).toBe('partly');
    expect(state('passed', 'passed')).toBe('partly');
    expect(state('failed', 'inconclusive')).toBe('open');
    expect(state('failed', 'passed')).toBe('partly');
    expect(state('inconclusive')).toBe('not judged');
    const withCritical = { ...threat, controls: ['require-pkce', 'b', 'c'] };
    const verdicts = new Map<string, VerdictKind>([
      ['require-pkce', 'failed'],
      ['b', 'passed'],
      ['c', 'passed'],
    ]);
    expect(judgeThreat(withCritical, verdicts)).toBe('open');
  });

  test('name every section once', () => {
    expect(new Set(THREATS.map(({ source }) => source)).size).toBe(THREATS.length);
  });
});

test.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])('nothing of a server is invisible in %s', (format) => {
  const hostile = 'a\u202eb\u2066c\u200bd\u001b[2Je\u0085f\u2028g\u{e0041}h\r\ni';
  const [first = finding('strict-redirect-uri', 'failed')] = findings;
  const [exchange] = first.exchanges;
  const { request, response } = exchange!;
  const shown = FORMATS[format].write(
    reportOf([
      {
        ...first,
        verdict: 'failed',
        reason: hostile,
        exchanges: [
          {
            ...exchange!,
            request: { ...request, url: `https://login.example.com/${hostile}` },
            response: { ...response, headers: [['x-hostile', hostile]], body: hostile },
          },
        ],
      },
    ]),
  );
  expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(shown).toContain('u{202e}b');
});
