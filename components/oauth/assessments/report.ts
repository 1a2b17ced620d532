import type { Finding } from '@/lib/oauth/assessment/run';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';

/** An assessment that was run, as it is kept in this browser and exported. */
export interface AssessmentReport {
  id: string;
  /** What was assessed: the lab with a preset, or the name of a server. */
  name: string;
  issuer: string;
  /** RFC 3339. */
  at: string;
  /** Milliseconds. */
  durationMs: number;
  findings: readonly Finding[];
}

/** How many findings of a report have a verdict. */
export function countVerdicts(report: AssessmentReport, kind: VerdictKind): number {
  return report.findings.filter((finding) => finding.verdict.kind === kind).length;
}

/** A control in two reports. Null where a report does not have it. */
export interface ComparedVerdict {
  control: string;
  before: VerdictKind | null;
  after: VerdictKind | null;
}

/** The verdicts of two reports side by side: those that differ first, else in the order of `controls`. */
export function compareReports(
  before: AssessmentReport,
  after: AssessmentReport,
  controls: readonly { id: string }[],
): ComparedVerdict[] {
  const verdicts = (report: AssessmentReport) =>
    new Map(report.findings.map(({ control, verdict }) => [control, verdict.kind]));
  const [left, right] = [verdicts(before), verdicts(after)];
  const assessed = [...new Set([...controls.map(({ id }) => id), ...left.keys(), ...right.keys()])]
    .filter((control) => left.has(control) || right.has(control))
    .map((control) => ({
      control,
      before: left.get(control) ?? null,
      after: right.get(control) ?? null,
    }));
  const differs = (row: ComparedVerdict) => (row.before === row.after ? 1 : 0);
  return assessed.sort((a, b) => differs(a) - differs(b));
}
