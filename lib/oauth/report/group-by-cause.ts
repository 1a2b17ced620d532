/** The parts of a finding that group it. */
interface Caused {
  control: string;
  cause?: string | undefined;
}

/** A defect of the server in a report: the finding that names it, and the others that it explains. */
export interface CauseWithFindings<F extends Caused> {
  first: F;
  others: F[];
}

/** Groups failed findings by their causes. If the finding that names a cause is missing, the next finding names it. */
export function groupByCause<F extends Caused>(findings: readonly F[]): CauseWithFindings<F>[] {
  const groups = new Map<string, CauseWithFindings<F>>();
  for (const finding of findings) {
    const cause = finding.cause ?? finding.control;
    const group = groups.get(cause);
    if (group === undefined) groups.set(cause, { first: finding, others: [] });
    else group.others.push(finding);
  }
  return [...groups.values()];
}
