import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { ControlDescription, Severity } from '@/lib/oauth/controls/control';

/** A failed control that a team lives with, for a reason and perhaps until a day. */
export interface Acceptance {
  reason: string;
  /** RFC 3339, or null: until it is withdrawn. */
  until: string | null;
  by: string;
  at: string;
}

/** What changed since the baseline. A control that failed then and does no longer is `fixed`. */
export type Change = 'new' | 'fixed' | 'same';

/** One control in a report. Its exchanges hold no secret. */
export interface ReportFinding {
  control: string;
  verdict: VerdictKind;
  reason: string;
  exchanges: readonly Exchange[];
  accepted?: Acceptance;
  change?: Change;
}

/** How a target did. Undecided controls are counted beside the grade and never as good. */
export interface Summary {
  passed: number;
  failed: number;
  not_applicable: number;
  inconclusive: number;
  /** Null where nothing was decided. */
  grade: Grade | null;
}

export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
export type Grade = (typeof GRADES)[number];

/** An assessment as it is kept and exported. */
export interface Report {
  id: string;
  name: string;
  /** The issuer, or the URL of the resource: what was assessed. */
  target: string;
  started_at: string;
  started_by: string;
  /** The build of Sluice that judged. */
  build: string;
  duration_ms: number;
  summary: Summary;
  findings: readonly ReportFinding[];
}

/** The controls of a report, by id. */
export type Catalogue = ReadonlyMap<string, ControlDescription>;

/** A finding with its control, the worst first: what every format is written from. */
export interface DescribedFinding extends ReportFinding {
  description: ControlDescription;
}

const ORDER: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info'];
const VERDICTS: readonly VerdictKind[] = ['failed', 'inconclusive', 'passed', 'not_applicable'];

/** The findings of a report with their controls: failures first, the most severe first. */
export function describeFindings(report: Report, catalogue: Catalogue): DescribedFinding[] {
  const described = report.findings.flatMap((finding) => {
    const description = catalogue.get(finding.control);
    return description === undefined ? [] : [{ ...finding, description }];
  });
  return described.sort(
    (a, b) =>
      VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
      ORDER.indexOf(a.description.severity) - ORDER.indexOf(b.description.severity),
  );
}

/**
 * Counts and grades findings. A failed critical control makes it F, a failed high one at best C (three of them D), a
 * failed medium one at best B; with a critical control undecided it is at best B. An accepted failure still counts.
 */
export function summarize(findings: readonly ReportFinding[], catalogue: Catalogue): Summary {
  const count = (verdict: VerdictKind) => findings.filter((finding) => finding.verdict === verdict).length;
  const has = (verdict: VerdictKind, severity: Severity) =>
    findings.filter((finding) => finding.verdict === verdict && catalogue.get(finding.control)?.severity === severity)
      .length;
  const passed = count('passed');
  const failed = count('failed');
  const grade = (): Grade | null => {
    if (passed + failed === 0) return null;
    if (has('failed', 'critical') > 0) return 'F';
    if (has('failed', 'high') > 0) return has('failed', 'high') >= 3 ? 'D' : 'C';
    return has('failed', 'medium') > 0 || has('inconclusive', 'critical') > 0 ? 'B' : 'A';
  };
  return {
    passed,
    failed,
    not_applicable: count('not_applicable'),
    inconclusive: count('inconclusive'),
    grade: grade(),
  };
}

/** Says of each finding what became of it since a baseline. */
export function compareWithBaseline(report: Report, baseline: Report): Report {
  const before = new Map(baseline.findings.map((finding) => [finding.control, finding.verdict]));
  const changeOf = ({ control, verdict }: ReportFinding): Change => {
    const then = before.get(control);
    if (verdict === 'failed') return then === 'failed' ? 'same' : 'new';
    return then === 'failed' && (verdict === 'passed' || verdict === 'not_applicable') ? 'fixed' : 'same';
  };
  return { ...report, findings: report.findings.map((finding) => ({ ...finding, change: changeOf(finding) })) };
}

/** Whether an acceptance holds at a time. */
export function isAccepted({ accepted }: ReportFinding, now: Date): boolean {
  return accepted !== undefined && (accepted.until === null || new Date(accepted.until) > now);
}

/** The exchange that shows a finding: the last one. */
export function decidingExchange(finding: ReportFinding): Exchange | undefined {
  return finding.exchanges.at(-1);
}
