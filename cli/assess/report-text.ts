import type { Paint } from '@/cli/output/colour';
import type { AssessmentReport } from '@/lib/contract/assessments';
import type { ReportFinding } from '@/lib/oauth/report/report';
import { baselineSentence, gradeSentence, stateSentence } from '@/lib/oauth/report/sentences';

/** How many controls are named that are undecided for one reason. */
const SHOWN_OF_A_REASON = 6;

/** A report for a person at a terminal: what failed with what to change, what is undecided in a line each. */
export function reportText(report: AssessmentReport, paint: Paint): string {
  const { name, target, findings, preflight } = report;
  const of = (verdict: ReportFinding['verdict']) => findings.filter((finding) => finding.verdict === verdict);
  const wrong = preflight.filter(({ ok }) => ok === false);
  const remarks = [stateSentence(report), baselineSentence(report)].filter((sentence) => sentence !== null);
  const blocks = [
    [
      paint('bold', printable(name)) + paint('dim', name === target ? '' : `  ${printable(target)}`),
      gradeSentence(report),
      ...remarks,
    ],
    ...wrong.map(({ what, text }) => [paint('yellow', `Set-up: ${printable(what)}`), `  ${printable(text)}`]),
    ...of('failed').map((finding) => failure(finding, paint)),
    undecided(of('inconclusive'), paint),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function failure({ control, severity, wrong, reason, remedy, source, accepted, change }: ReportFinding, paint: Paint) {
  const isBad = severity === 'critical' || severity === 'high';
  const marks = [accepted === undefined ? [] : ['accepted'], change === 'new' ? ['new'] : []].flat();
  return [
    `${paint(isBad ? 'red' : 'yellow', severity)}  ${paint('bold', wrong)}  ${paint('dim', [control, ...marks].join(', '))}`,
    `  ${printable(reason)}`,
    `  ${paint('dim', 'Change:')} ${remedy}`,
    ...(accepted === undefined ? [] : [`  ${paint('dim', 'Accepted:')} ${printable(accepted.reason)}`]),
    `  ${paint('dim', source.join(', '))}`,
  ];
}

/** By reason, for one thing that is missing makes many undecided. */
function undecided(findings: readonly ReportFinding[], paint: Paint): string[] {
  if (findings.length === 0) return [];
  const reasons = new Map<string, string[]>();
  for (const { control, reason } of findings) reasons.set(reason, [...(reasons.get(reason) ?? []), control]);
  const lines = [...reasons].flatMap(([reason, controls]) => {
    const more = controls.length - SHOWN_OF_A_REASON;
    const named = `${controls.slice(0, SHOWN_OF_A_REASON).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return [`  ${printable(reason)}`, `    ${paint('dim', named)}`];
  });
  return [paint('bold', `Undecided (${findings.length})`), ...lines];
}

/** What a server said must not steer the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
