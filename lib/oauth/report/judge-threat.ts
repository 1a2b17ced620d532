import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { describeControl } from '@/lib/oauth/report/describe-control';
import type { Threat } from '@/lib/oauth/report/threats';

/** Degree to which the decided controls mitigate a threat. */
export type ThreatState = 'mitigated' | 'partly' | 'open' | 'not judged';

/**
 * Returns the state of a threat. A failed critical control leaves it open, as does the lack of a passed control.
 * It is partly mitigated if another control failed or is undecided.
 */
export function judgeThreat({ controls }: Threat, verdicts: ReadonlyMap<string, VerdictKind>): ThreatState {
  const all = controls.map((control) => ({ control, kind: verdicts.get(control) ?? 'inconclusive' }));
  const filterByKind = (kind: VerdictKind) => all.filter((one) => one.kind === kind);
  const [passed, failed] = [filterByKind('passed'), filterByKind('failed')];
  if (passed.length + failed.length === 0) return 'not judged';
  if (passed.length === 0) return 'open';
  if (failed.some(({ control }) => describeControl(control).severity === 'critical')) return 'open';
  return failed.length + filterByKind('inconclusive').length === 0 ? 'mitigated' : 'partly';
}
