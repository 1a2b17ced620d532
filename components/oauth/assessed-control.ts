import type { Finding } from '@/lib/oauth/assessment/run';
import type { ControlDescription } from '@/lib/oauth/controls/control';

export interface AssessedControl {
  control: ControlDescription;
  finding: Finding;
}

/** Pairs controls with their findings, in the order of `controls`: most severe first. */
export function pairControls(controls: readonly ControlDescription[], findings: readonly Finding[]) {
  const byControl = new Map(findings.map((finding) => [finding.control, finding]));
  return controls.flatMap((control): AssessedControl[] => {
    const finding = byControl.get(control.id);
    return finding === undefined ? [] : [{ control, finding }];
  });
}
