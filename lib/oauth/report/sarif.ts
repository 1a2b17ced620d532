import type { Severity } from '@/lib/oauth/controls/control';
import {
  type Catalogue,
  type DescribedFinding,
  decidingExchange,
  describeFindings,
  isAccepted,
  type Report,
} from '@/lib/oauth/report/report';
import { sourceUrl } from '@/lib/oauth/report/sources';

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};
/** Scores that code-scanning tools sort by (CVSS bands). */
const SCORES: Record<Severity, string> = { critical: '9.5', high: '8.0', medium: '5.5', low: '2.5', info: '0.5' };
const KINDS = { failed: 'fail', passed: 'pass', not_applicable: 'notApplicable', inconclusive: 'open' } as const;
const BASELINE = { new: 'new', same: 'unchanged', fixed: 'absent' } as const;

/** A report as SARIF 2.1.0 (OASIS), a rule for each control and a result for each finding. */
export function toSarif(report: Report, catalogue: Catalogue, now: Date): object {
  const findings = describeFindings(report, catalogue);
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Sluice',
            version: report.build,
            rules: findings.map(({ description }) => ({
              id: description.id,
              shortDescription: { text: description.title },
              fullDescription: { text: description.protectsFrom },
              help: { text: description.remedy.change },
              helpUri: sourceUrl(description.source[0] ?? ''),
              defaultConfiguration: { level: LEVELS[description.severity] },
              properties: {
                'security-severity': SCORES[description.severity],
                tags: ['security', 'oauth', description.area],
              },
            })),
          },
        },
        automationDetails: { id: `sluice/${report.target}/`, guid: report.id },
        invocations: [
          {
            executionSuccessful: true,
            startTimeUtc: report.started_at,
            endTimeUtc: new Date(Date.parse(report.started_at) + report.duration_ms).toISOString(),
          },
        ],
        properties: { grade: report.summary.grade },
        results: findings.map((finding, ruleIndex) => toResult(finding, ruleIndex, report, now)),
      },
    ],
  };
}

function toResult(finding: DescribedFinding, ruleIndex: number, report: Report, now: Date): object {
  const { control, verdict, reason, description, accepted, change } = finding;
  const exchange = decidingExchange(finding);
  return {
    ruleId: control,
    ruleIndex,
    kind: KINDS[verdict],
    level: verdict === 'failed' ? LEVELS[description.severity] : 'none',
    message: { text: reason },
    locations: [
      { physicalLocation: { artifactLocation: { uri: withoutQuery(exchange?.request.url ?? report.target) } } },
    ],
    partialFingerprints: { 'control/v1': `${report.target} ${control}` },
    ...(change === undefined ? {} : { baselineState: BASELINE[change] }),
    ...(accepted === undefined
      ? {}
      : {
          suppressions: [
            {
              kind: 'external',
              status: isAccepted(finding, now) ? 'accepted' : 'rejected',
              justification: accepted.reason,
            },
          ],
        }),
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
