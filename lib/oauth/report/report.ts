import type { KeptFindings } from '@/lib/contract/assessment-events';
import type { AssessmentReport, CHANGES, StoredAssessment } from '@/lib/contract/assessment-report';
import { METADATA_LABEL } from '@/lib/oauth/assessment/server-metadata';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { SEVERITIES } from '@/lib/oauth/controls/control';
import { findCauses, type Judged } from '@/lib/oauth/report/causes';
import { describeControl } from '@/lib/oauth/report/describe-control';
import { detectProduct } from '@/lib/oauth/report/detect-product';
import { judgeThreat } from '@/lib/oauth/report/judge-threat';
import { judgeProfiles } from '@/lib/oauth/report/profiles/judge-profile';
import { shareExchanges } from '@/lib/oauth/report/share-exchanges';
import { THREATS } from '@/lib/oauth/report/threats';
import { VERDICT_ORDER } from '@/lib/oauth/report/verdict-titles';

/** One control in a report: its result with its exchanges, and its description from the catalogue. */
export type ReportFinding = Omit<AssessmentReport['findings'][number], 'exchanges'> & {
  exchanges: KeptFindings[number]['exchanges'];
};

/** A report as its writers read it. JSON contains each exchange once. */
export type Report = Omit<AssessmentReport, 'findings' | 'exchanges'> & { findings: ReportFinding[] };

/**
 * Writes a report as JSON has it: findings refer to their exchanges by id. @param exchanges which of them it has: `all`,
 * `none`, or those of one control, by its id
 */
export const buildReportJson = (report: Report, exchanges = 'all'): AssessmentReport => ({
  ...report,
  ...shareExchanges(report.findings, ({ control }) => exchanges === 'all' || exchanges === control),
});

type Change = (typeof CHANGES)[number];

/** Input of a report. */
interface ReportParts {
  assessment: StoredAssessment;
  preflight: AssessmentReport['preflight'];
  findings: KeptFindings;
  /** Acceptances that apply to its target, by control. */
  accepted?: ReadonlyMap<string, NonNullable<ReportFinding['accepted']>>;
  baseline?: { assessment: StoredAssessment; findings: readonly Judged[] };
}

/**
 * Builds the report that all formats are written from. Failures come first, those of one cause side by side, the most
 * severe cause at the top.
 */
export function buildReport({ assessment, preflight, findings, accepted, baseline }: ReportParts): Report {
  const product = detectProduct(findings.flatMap(({ exchanges }) => exchanges));
  const before = baseline && new Map(baseline.findings.map(({ control, verdict }) => [control, verdict]));
  const causes = findCauses(findings);
  const causeOf = new Map(causes.flatMap(({ control, controls }) => controls.map((each) => [each, control] as const)));
  const described = findings.map((finding): ReportFinding => {
    const cause = causeOf.get(finding.control);
    const { remedy_in = {}, ...control } = describeControl(finding.control);
    const { title, area, source, protects_from, wrong, remedy } = control;
    const { severity = control.severity } = finding;
    // Instructions for other products would mislead.
    const instruction = product === null ? undefined : remedy_in[product];
    const acceptance = finding.verdict === 'failed' ? accepted?.get(finding.control) : undefined;
    return {
      ...finding,
      ...{ title, severity, area, source, protects_from, wrong, remedy },
      ...(product === null || instruction === undefined ? {} : { remedy_in: { [product]: instruction } }),
      ...(cause === undefined ? {} : { cause }),
      ...(acceptance === undefined ? {} : { accepted: acceptance }),
      ...(before === undefined ? {} : { change: compareVerdicts(finding.verdict, before.get(finding.control)) }),
    };
  });
  const places = new Map(causes.flatMap(({ controls }) => controls).map((control, place) => [control, place]));
  const findPlace = ({ control }: ReportFinding) => places.get(control) ?? 0;
  described.sort(
    (a, b) =>
      VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict) ||
      findPlace(a) - findPlace(b) ||
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
  const verdicts = new Map(findings.map(({ control, verdict }) => [control, verdict]));
  return {
    ...assessment,
    preflight,
    findings: described,
    product,
    causes,
    threats: THREATS.map((threat) => ({
      ...threat,
      controls: [...threat.controls],
      state: judgeThreat(threat, verdicts),
    })),
    profiles: judgeProfiles(findings).map((profile) =>
      assessment.state === 'finished' ? profile : { ...profile, grade: null },
    ),
    ...(baseline === undefined ? {} : buildComparison(baseline, described)),
  };
}

/** Returns the change of a control since the baseline. `before` is undefined if it was not judged then. */
function compareVerdicts(now: VerdictKind, before: VerdictKind | undefined): Change {
  if (now === 'failed') return before === 'failed' ? 'same' : 'new';
  if (before !== 'failed') return 'same';
  return now === 'inconclusive' ? 'unknown' : 'fixed';
}

function buildComparison(
  { assessment, findings: before }: NonNullable<ReportParts['baseline']>,
  findings: ReportFinding[],
) {
  const { id, name, target, started_at } = assessment;
  const listControlsWith = (change: Change) =>
    findings.filter((finding) => finding.change === change).map(({ control }) => control);
  const judged = new Set(findings.map(({ control }) => control));
  const notReached = before.filter(({ control, verdict }) => verdict === 'failed' && !judged.has(control));
  return {
    baseline: { id, name, target, started_at },
    new: listControlsWith('new'),
    fixed: listControlsWith('fixed'),
    same: findings
      .filter(({ change, verdict }) => change === 'same' && verdict === 'failed')
      .map(({ control }) => control),
    unknown: [...listControlsWith('unknown'), ...notReached.map(({ control }) => control)],
  };
}

/** Returns the exchange that shows a finding: the first one that its reason lists, else the last relevant one. */
export function findDecidingExchange({ exchanges, reason }: ReportFinding) {
  const lowerCase = reason.toLowerCase();
  const isListed = ({ label }: Shown) => {
    const what = label.replace(LEADING_VERB, '').toLowerCase();
    return lowerCase.includes(`: ${what}`) || lowerCase.includes(`, ${what}`);
  };
  return exchanges.find(isListed) ?? exchanges.findLast(({ label }) => label !== METADATA_LABEL) ?? exchanges.at(-1);
}

type Shown = ReportFinding['exchanges'][number];
/** A label such as "Redeem with another client" starts with a verb, but the reason omits it. */
const LEADING_VERB = /^(?:[A-Z][a-z]+ with|Present) /;
