import { EMPTY_VALUES } from '@/components/oauth/assessments/form/form-values';
import { listNeeds, selectDecidable } from '@/components/oauth/assessments/form/unlocks';
import type { AssessmentReport, StoredAssessment } from '@/lib/contract/assessment-report';
import type { ControlInCatalogue } from '@/lib/contract/assessments';
import { sumRequests } from '@/lib/oauth/assessment/sum-requests';
import { computeScore } from '@/lib/oauth/builder/score';
import { groupByCause } from '@/lib/oauth/report/group-by-cause';
import { VERDICT_ORDER, VERDICT_TITLES } from '@/lib/oauth/report/verdict-titles';
import type { Answers } from './answers';
import { type Claim, number, startsWith } from './claims';

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;

export function claimAssessments(answers: Answers): Claim[] {
  const rows = answers.find<StoredAssessment[]>('/v1/oauth/assessments');
  return [
    {
      in: 'tbody td',
      like: /failed .* passed$/,
      say: rows.map(
        ({ summary: { failed, inconclusive, passed } }) =>
          `${failed} failed ${inconclusive} undecided ${passed} passed`,
      ),
    },
    { in: 'p[aria-live]', say: [`${rows.length} total`] },
  ];
}

const findReport = (answers: Answers, id: string) => answers.find<AssessmentReport>(`/v1/oauth/assessments/${id}`);

const countVerdict = ({ findings }: AssessmentReport, verdict: string) =>
  findings.filter((finding) => finding.verdict === verdict).length;

/** The head of a report, counted from its findings and causes. */
function claimSummary(report: AssessmentReport): Claim[] {
  const { causes, duration_ms: duration, build } = report;
  const worst = SEVERITIES.slice(0, 3).find((severity) => causes.some((cause) => cause.severity === severity));
  const defects = causes.filter(({ severity }) => severity === worst).length;
  const failed = countVerdict(report, 'failed');
  const inAll = failed > causes.length ? ` ${causes.length} causes made ${failed} controls fail.` : '';
  const found = `${defects} ${worst} defect${defects === 1 ? '' : 's'} found.${inAll}`;
  return [
    {
      in: '[aria-label="Result"] p',
      like: /found|Nothing failed/,
      say: [worst === undefined ? 'Nothing failed.' : found],
    },
    {
      in: '[aria-label="Controls by verdict"] li',
      say: VERDICT_ORDER.map((verdict) => `${countVerdict(report, verdict)} ${VERDICT_TITLES[verdict].toLowerCase()}`),
    },
    { in: '[aria-label="Result"] dd', like: /^[\d.]+ s$/, say: [`${number(Math.round(duration / 100) / 10)} s`] },
    { in: '[aria-label="Result"] dd', like: /^Sluice/, say: [`Sluice ${build}`] },
  ];
}

export function claimReport(answers: Answers, id: string): Claim[] {
  const report = findReport(answers, id);
  const causes = groupByCause(report.findings.filter(({ verdict }) => verdict === 'failed'));
  const alike = SEVERITIES.map((severity) => ({
    severity,
    count: causes.filter(({ first, others }) => {
      const all = [first, ...others].map((finding) => finding.severity);
      return SEVERITIES.find((each) => all.includes(each)) === severity;
    }).length,
  }));
  return [
    ...claimSummary(report),
    {
      in: 'h2 button',
      say: VERDICT_ORDER.flatMap((verdict) => {
        const count = countVerdict(report, verdict);
        return count > 0 || verdict === 'failed' ? [startsWith(`${VERDICT_TITLES[verdict]} ${count} `)] : [];
      }),
    },
    { in: 'h3', say: alike.flatMap(({ severity, count }) => (count > 0 ? [`${severity} ${count}`] : [])) },
  ];
}

/** The checks of the set-up name what the server answered. */
export const claimSetUp = (answers: Answers, id: string): Claim[] => claimSummary(findReport(answers, id));

export function claimProfiles(answers: Answers, id: string): Claim[] {
  const report = findReport(answers, id);
  const profiles = report.profiles.map(({ grade, clauses }) => {
    const count = (state: string) => clauses.filter((clause) => clause.state === state).length;
    return {
      grade,
      violated: count('violated'),
      met: count('met'),
      undecided: count('undecided'),
      not: count('not judged'),
    };
  });
  return [
    ...claimSummary(report),
    {
      in: 'p',
      like: /^Grade .: \d/,
      say: profiles.map(
        ({ grade, violated, met, undecided, not }) =>
          `Grade ${grade}: ${violated} violated, ${met} met, ${undecided} undecided, ${not} not judged.`,
      ),
    },
    { in: 'button', like: /met or not judged$/, say: profiles.map(({ met, not }) => `${met + not} met or not judged`) },
  ];
}

export function claimThreats(answers: Answers, id: string): Claim[] {
  const report = findReport(answers, id);
  const count = (state: string, source = '') =>
    report.threats.filter((threat) => threat.state === state && threat.source.startsWith(source)).length;
  const states = { Open: 'open', Partly: 'partly', Mitigated: 'mitigated', 'Not judged': 'not judged' };
  return [
    ...claimSummary(report),
    {
      in: '[aria-label="State of the threats"] button',
      say: [
        `All ${report.threats.length}`,
        ...Object.entries(states).map(([label, state]) => `${label} ${count(state)}`),
      ],
    },
    {
      in: 'button',
      like: /mitigated or not judged$/,
      say: ['RFC 9700', 'RFC 6819'].map(
        (rfc) => `${count('mitigated', rfc) + count('not judged', rfc)} mitigated or not judged`,
      ),
    },
  ];
}

/** The form with nothing filled in: what the address of a server alone decides, and what clients and resources add. */
export function claimNewAssessment(answers: Answers): Claim[] {
  const controls = answers.find<ControlInCatalogue[]>('/v1/oauth/controls');
  const needs = listNeeds(EMPTY_VALUES);
  const decidable = selectDecidable(controls, needs);
  return [
    {
      in: 'p',
      like: /controls can be decided$/,
      say: [`Up to ${decidable.length} of ${controls.length} controls can be decided`],
    },
    { in: 'p', like: /^About [\d,]+ requests\.$/, say: [`About ${number(sumRequests(controls, needs))} requests.`] },
  ];
}

/** A control of the catalogue, as far as the builder counts it. */
export type LabControl = Pick<ControlInCatalogue, 'id' | 'area' | 'switchable' | 'severity'>;

/**
 * The builder: its score is that of a report on a lab with the same switches, and each switch is a lesson.
 * @param report a report on the lab with every control on or off
 * @param attacks answers to the attacks if every control is off
 */
export function claimBuilder(
  controls: readonly LabControl[],
  report: AssessmentReport,
  attacks?: readonly { result: { kind: string } }[],
): Claim[] {
  const count = (verdict: string) => countVerdict(report, verdict);
  const switches = controls.filter(({ switchable }) => switchable);
  const areas = [...new Set(switches.map(({ area }) => area))];
  const state = attacks === undefined ? 'on' : 'off';
  const verdicts = report.findings.map(({ control, verdict }) => {
    return { severity: controls.find(({ id }) => id === control)!.severity, kind: verdict };
  });
  const undecided = count('inconclusive') > 0 ? [`${count('inconclusive')} undecided`] : [];
  const others = count('not_applicable') > 0 ? [`${count('not_applicable')} not applicable`] : [];
  const passed = `${count('failed')} failed · ${count('passed')} passed`;
  const { percent } = computeScore(verdicts, report.summary.grade);
  return [
    {
      in: '[aria-label="Score"] p',
      like: /of 100$|failed|undecided|applicable/,
      say: [`${percent} of 100`, passed, ...undecided, ...others],
    },
    {
      in: '[aria-label="Controls"] button',
      like: /\d (on|off)$/,
      say: areas.map((area) => {
        const { length } = switches.filter((each) => each.area === area);
        return new RegExp(state === 'on' ? ` ${length} on$` : ` ${length} of ${length} off$`);
      }),
    },
    { in: 'button', like: /^All \d+ lessons$/, say: [`All ${switches.length} lessons`] },
    { in: '[aria-label="Request"] button', like: /^[123] /, say: ['1 Authorize', '2 Token', '3 Data'] },
    // The texts of controls and of the form name parameters and algorithms.
    { in: '[aria-label="Controls"] label', like: /^Only S256 challenges/ },
    ...(attacks === undefined ? [] : claimEffect(switches.length, count('failed'), attacks)),
  ];
}

/** What the builder says while every control is off. */
function claimEffect(off: number, failed: number, attacks: readonly { result: { kind: string } }[]): Claim[] {
  const succeeded = attacks.filter(({ result }) => result.kind === 'succeeded').length;
  return [
    { in: '[aria-label="Controls"] span', like: /^\d+ off$/, say: [`${off} off`] },
    { in: '[role=tab]', like: /^Matrix/, say: [startsWith(`Matrix ${failed}`)] },
    { in: '[role=tab]', like: /^Attacks/, say: [startsWith(`Attacks ${succeeded}`)] },
    {
      in: '[aria-label="Effect of the change"] p',
      say: [`${failed} more controls fail than before.`, startsWith(`${succeeded} more attacks succeed than before.`)],
    },
  ];
}
