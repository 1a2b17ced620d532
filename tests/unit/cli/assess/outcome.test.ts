import { beforeAll, describe, expect, it } from 'vitest';
import { parseBaseline } from '@/cli/assess/baseline';
import { chooseExitCode, listCountedFailures } from '@/cli/assess/outcome';
import { describeReport } from '@/cli/assess/report-text';
import { type AssessedHere, assessHere } from '@/cli/assess/run';
import { AssessmentProgress } from '@/cli/assess/watcher';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { type ControlSwitch, enableControlsExcept } from '@/lib/oauth/lab/controls';
import { buildReport, type Report } from '@/lib/oauth/report/report';

const plain = (_: string, text: string) => text;

/** What the screen of a person shows. */
function screen(isTTY: boolean) {
  const shown: string[] = [];
  return { isTTY, columns: 60, write: (text: string) => shown.push(text), shown };
}

async function assessLab(off: readonly ControlSwitch[], watcher = new AssessmentProgress(screen(false), false)) {
  const lab = { origin: 'https://lab.example', controls: enableControlsExcept(...off), startAt: Date.now() };
  const world = {
    clock: () => performance.now(),
    random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  };
  return assessHere({
    target: createLabTarget({ ...lab, ...world }),
    about: { name: 'Lab', kind: 'lab', target: 'lab', started_by: 'somebody', build: '0.0.0' },
    watcher,
    signal: new AbortController().signal,
  });
}

let weak: AssessedHere;
let strong: AssessedHere;
const terminal = screen(true);
beforeAll(async () => {
  weak = await assessLab(['require-pkce', 'referrer-policy'], new AssessmentProgress(terminal, false));
  strong = await assessLab([]);
});

describe('an assessment on this machine', () => {
  it('finds what is switched off, and nothing where nothing is', () => {
    const failed = ({ findings }: AssessedHere) =>
      findings.filter(({ verdict }) => verdict === 'failed').map(({ control }) => control);
    expect(failed(weak).sort()).toEqual(['referrer-policy', 'require-pkce']);
    expect(failed(strong)).toEqual([]);
    expect(strong.assessment).toMatchObject({ state: 'finished', target: 'lab', summary: { failed: 0, grade: 'A' } });
  });

  it('shows its progress on one line of a terminal', () => {
    const last = terminal.shown.at(-1) ?? '';
    expect(last).toMatch(/\d+ of \d+ controls, 2 failed/);
    expect(Math.max(...terminal.shown.map((text) => text.length))).toBeLessThan(70);
  });

  it('is told as text with what to change', () => {
    const text = describeReport(buildReport(weak), plain);
    expect(text).toMatch(/^Lab {2}lab\nGrade [A-F]: 2 failed/);
    expect(text).toContain('require-pkce');
    expect(text).toContain('Change: ');
  });
});

describe('what the command ends with', () => {
  const idsOf = (report: Report, failOn: 'critical' | 'high' | 'low') =>
    listCountedFailures(report, failOn).map(({ control }) => control);

  it('is 5 for a failure at or above the severity, else 0', () => {
    const report = buildReport(weak);
    expect(idsOf(report, 'high')).toEqual(['require-pkce']);
    expect(idsOf(report, 'low').sort()).toEqual(['referrer-policy', 'require-pkce']);
    expect([
      chooseExitCode(report, 'high'),
      chooseExitCode(report, undefined),
      chooseExitCode(buildReport(strong), 'low'),
    ]).toEqual([5, 0, 0]);
  });

  it('leaves out what was accepted', () => {
    const accepted = new Map([
      ['require-pkce', { reason: 'Legacy', until: null, by: 'a file', at: '2026-11-22T00:00:00.000Z' }],
    ]);
    const report = buildReport({ ...weak, accepted });
    expect(idsOf(report, 'high')).toEqual([]);
    expect(describeReport(report, plain)).toContain('Accepted: Legacy');
  });

  it('leaves out what failed in the baseline already', () => {
    const text = JSON.stringify(buildReport(weak));
    const earlier = parseBaseline(text, 'earlier.json');
    const assessment = { ...weak.assessment, ...earlier };
    const same = buildReport({ ...weak, baseline: { assessment, findings: earlier.findings } });
    expect(chooseExitCode(same, 'low')).toBe(0);
    const findings = earlier.findings.map((finding) => ({ ...finding, verdict: 'passed' as const }));
    const worse = buildReport({ ...weak, baseline: { assessment, findings } });
    expect([chooseExitCode(worse, 'high'), worse.new?.length]).toEqual([5, 2]);
  });

  it('is 3 where nothing was decided, and 130 where somebody stopped it', () => {
    const report = buildReport(weak);
    expect(chooseExitCode({ ...report, summary: { ...report.summary, passed: 0, failed: 0 } }, 'high')).toBe(3);
    expect(chooseExitCode({ ...report, state: 'stopped' }, 'high')).toBe(130);
  });

  it.each([['{'], ['[]'], ['{"id": 1}']])('takes %s for no baseline', (text) => {
    expect(() => parseBaseline(text, 'earlier.json')).toThrow('The baseline earlier.json');
  });
});
