import type { Finding } from '@/lib/oauth/assessment/run';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { ControlDescription } from '@/lib/oauth/controls/control';

/** A control and what was found out about it. */
export interface AssessedControl {
  control: ControlDescription;
  finding: Finding;
}

/** The verdicts in the order in which they are shown. */
export const VERDICTS: readonly { kind: VerdictKind; title: string }[] = [
  { kind: 'failed', title: 'Failed controls' },
  { kind: 'passed', title: 'Passed controls' },
  { kind: 'inconclusive', title: 'Inconclusive' },
  { kind: 'not_applicable', title: 'Not applicable' },
];

/** Controls with their findings, in the order of `controls`: the most severe first. */
export function assessedControls(
  controls: readonly ControlDescription[],
  findings: readonly Finding[],
): AssessedControl[] {
  const byId = new Map(findings.map((finding) => [finding.control, finding]));
  return controls.flatMap((control) => {
    const finding = byId.get(control.id);
    return finding ? [{ control, finding }] : [];
  });
}
