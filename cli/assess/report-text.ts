import type { Paint } from '@/cli/output/colour';
import { type CauseWithFindings, groupByCause } from '@/lib/oauth/report/group-by-cause';
import type { Report, ReportFinding } from '@/lib/oauth/report/report';
import { describeBaseline, describeGrade, describeIncompleteness, describeProfile } from '@/lib/oauth/report/sentences';

/** Maximum number of undecided controls named per reason. */
const SHOWN_OF_A_REASON = 6;

/** Formats a report for a terminal: failures with their fixes, undecided controls in one line per reason. */
export function describeReport(report: Report, paint: Paint): string {
  const { name, target, findings, preflight } = report;
  const listByVerdict = (verdict: ReportFinding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict);
  const wrong = preflight.filter(({ ok }) => ok === false);
  const remarks = [describeIncompleteness(report), describeBaseline(report)].filter((sentence) => sentence !== null);
  const blocks = [
    [
      paint('bold', removeControlCharacters(name)) +
        paint('dim', name === target ? '' : `  ${removeControlCharacters(target)}`),
      describeGrade(report),
      ...report.profiles.map((profile) => paint('dim', `${profile.title}: ${describeProfile(profile)}`)),
      ...remarks,
    ],
    ...wrong.map(({ what, text }) => [
      paint('yellow', `Set-up: ${removeControlCharacters(what)}`),
      `  ${removeControlCharacters(text)}`,
    ]),
    ...groupByCause(listByVerdict('failed')).map((cause) => formatCause(cause, paint)),
    formatUndecided(listByVerdict('inconclusive'), paint),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function formatCause({ first, others }: CauseWithFindings<ReportFinding>, paint: Paint): string[] {
  const { reason, remedy, source, accepted } = first;
  return [
    formatFindingHeading(first, paint),
    `  ${removeControlCharacters(reason)}`,
    `  ${paint('dim', 'Change:')} ${remedy}`,
    ...(accepted === undefined ? [] : [`  ${paint('dim', 'Accepted:')} ${removeControlCharacters(accepted.reason)}`]),
    `  ${paint('dim', source.join(', '))}`,
    ...(others.length === 0 ? [] : [`  ${paint('dim', 'The same cause:')}`]),
    ...others.flatMap((other) => [
      `  ${formatFindingHeading(other, paint)}`,
      `    ${removeControlCharacters(other.reason)}`,
    ]),
  ];
}

function formatFindingHeading({ control, severity, wrong, accepted, change }: ReportFinding, paint: Paint): string {
  const isBad = severity === 'critical' || severity === 'high';
  const marks = [accepted === undefined ? [] : ['accepted'], change === 'new' ? ['new'] : []].flat();
  return `${paint(isBad ? 'red' : 'yellow', severity)}  ${paint('bold', wrong)}  ${paint('dim', [control, ...marks].join(', '))}`;
}

/** Groups undecided controls by reason, because one missing input leaves many undecided. */
function formatUndecided(findings: readonly ReportFinding[], paint: Paint): string[] {
  if (findings.length === 0) return [];
  const reasons = new Map<string, string[]>();
  for (const { control, reason } of findings) reasons.set(reason, [...(reasons.get(reason) ?? []), control]);
  const lines = [...reasons].flatMap(([reason, controls]) => {
    const more = controls.length - SHOWN_OF_A_REASON;
    const named = `${controls.slice(0, SHOWN_OF_A_REASON).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    return [`  ${removeControlCharacters(reason)}`, `    ${paint('dim', named)}`];
  });
  return [paint('bold', `Undecided (${findings.length})`), ...lines];
}

/** Removes control characters, so that text of a server cannot control the terminal. */
export const removeControlCharacters = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
