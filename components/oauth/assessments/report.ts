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
  durationMs: number;
  findings: readonly Finding[];
}

/** How many findings of a report have a verdict. */
export function countVerdicts({ findings }: Pick<AssessmentReport, 'findings'>, kind: VerdictKind): number {
  return findings.filter(({ verdict }) => verdict.kind === kind).length;
}

/** The verdicts of two reports by control, null where one has none: those that differ first, then as in `controls`. */
export function compareReports(
  before: AssessmentReport,
  after: AssessmentReport,
  controls: readonly { id: string }[],
): { control: string; before: VerdictKind | null; after: VerdictKind | null }[] {
  const verdicts = ({ findings }: AssessmentReport) =>
    new Map(findings.map(({ control, verdict }) => [control, verdict.kind]));
  const [left, right] = [verdicts(before), verdicts(after)];
  const ids = new Set([...controls.map(({ id }) => id), ...left.keys(), ...right.keys()]);
  const rows = [...ids]
    .filter((control) => left.has(control) || right.has(control))
    .map((control) => ({ control, before: left.get(control) ?? null, after: right.get(control) ?? null }));
  return rows.sort((a, b) => Number(a.before === a.after) - Number(b.before === b.after));
}
