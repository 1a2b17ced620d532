import type { ReportFinding } from '@/lib/oauth/report/report';

/** A defect of the server in a report: the finding that names it, and the others that it explains. */
export interface CauseWithFindings {
  first: ReportFinding;
  others: ReportFinding[];
}

/** Groups failed findings by their causes. Where the finding that names a cause is missing, the next takes its place. */
export function groupByCause(findings: readonly ReportFinding[]): CauseWithFindings[] {
  const groups = new Map<string, CauseWithFindings>();
  for (const finding of findings) {
    const cause = finding.cause ?? finding.control;
    const group = groups.get(cause);
    if (group === undefined) groups.set(cause, { first: finding, others: [] });
    else group.others.push(finding);
  }
  return [...groups.values()];
}
