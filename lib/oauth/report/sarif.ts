import type { AssessmentReport } from '@/lib/contract/assessments';
import type { Severity } from '@/lib/oauth/controls/control';
import { decidingExchange, type ReportFinding } from '@/lib/oauth/report/report';
import { sourceUrl } from '@/lib/oauth/report/sources';

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};
/** Scores by which code-scanning tools sort (CVSS bands). */
const SCORES: Record<Severity, string> = { critical: '9.5', high: '8.0', medium: '5.5', low: '2.5', info: '0.5' };
const KINDS = { failed: 'fail', passed: 'pass', not_applicable: 'notApplicable', inconclusive: 'open' } as const;
/**
 * Baseline states (SARIF section 3.27.24). A control that no longer fails is "absent", so that tools close its alert.
 */
const BASELINE = { new: 'new', same: 'unchanged', fixed: 'absent', unknown: 'updated' } as const;

/** Writes a report as SARIF 2.1.0 (OASIS), with a rule for each control and a result for each finding. */
export function toSarif(report: AssessmentReport): string {
  const { id, target, build, started_at, duration_ms, state, summary, findings, baseline } = report;
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Sluice', version: build, rules: findings.map(toRule) } },
        automationDetails: { id: `sluice/${target}/${id}`, guid: id },
        ...(baseline === undefined ? {} : { baselineGuid: baseline.id }),
        invocations: [
          {
            executionSuccessful: state === 'finished',
            startTimeUtc: started_at,
            endTimeUtc: new Date(Date.parse(started_at) + duration_ms).toISOString(),
          },
        ],
        properties: { ...summary },
        results: findings.map((finding, ruleIndex) => toResult(finding, ruleIndex, target)),
      },
    ],
  };
  return JSON.stringify(log, null, 2);
}

function toRule({
  control,
  title,
  wrong,
  severity,
  area,
  source,
  protects_from,
  remedy,
  remedy_in = {},
}: ReportFinding) {
  const products = Object.entries(remedy_in).map(([product, how]) => `In ${product}: ${how}`);
  const helpUri = source.flatMap((section) => sourceUrl(section) ?? []).at(0);
  return {
    id: control,
    shortDescription: { text: title },
    fullDescription: { text: `${wrong}. ${protects_from}` },
    help: { text: [remedy, ...products, `Source: ${source.join(', ')}`].join('\n') },
    ...(helpUri === undefined ? {} : { helpUri }),
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { 'security-severity': SCORES[severity], tags: ['security', 'oauth', area] },
  };
}

function toResult(finding: ReportFinding, ruleIndex: number, target: string) {
  const { control, verdict, reason, severity, accepted, change } = finding;
  const exchange = decidingExchange(finding);
  return {
    ruleId: control,
    ruleIndex,
    kind: KINDS[verdict],
    level: verdict === 'failed' ? LEVELS[severity] : 'none',
    message: { text: reason },
    locations: [{ physicalLocation: { artifactLocation: { uri: withoutQuery(exchange?.request.url ?? target) } } }],
    partialFingerprints: { 'control/v1': `${target} ${control}` },
    ...(change === undefined ? {} : { baselineState: BASELINE[change] }),
    ...(accepted === undefined
      ? {}
      : { suppressions: [{ kind: 'external', status: 'accepted', justification: accepted.reason }] }),
    ...(exchange === undefined
      ? {}
      : {
          webRequest: {
            method: exchange.request.method,
            target: exchange.request.url,
            headers: Object.fromEntries(exchange.request.headers),
            body: { text: exchange.request.body },
          },
          webResponse: {
            statusCode: exchange.response.status,
            headers: Object.fromEntries(exchange.response.headers),
            body: { text: exchange.response.body },
          },
        }),
  };
}

const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '');
